// POST to a pod's /eviction, and the relevant budgets.
#include "apiserver/rules/conditions.hpp"
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kBudgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

class Eviction : public Api {
 protected:
  // A running, ready pod, protected by a budget.
  void run_pod(std::string_view ready = "True", std::string_view phase = "Running") {
    make_pod("node-1");
    const std::string status = R"({"status":{"phase":")" + std::string(phase) +
                               R"(","conditions":[{"type":"Ready","status":")" +
                               std::string(ready) + R"("}]}})";
    ASSERT_TRUE(api.patch(kPodStatus, kStrategic, status).ok());
  }
  void make_budget(std::string_view status, std::string_view more_spec = "",
                   std::string_view name = "budget") {
    ASSERT_EQ(api.post(kBudgets, R"({"metadata":{"name":")" + std::string(name) +
                                     R"("},"spec":{"minAvailable":1,"selector":{"matchLabels":)"
                                     R"({"app":"trainer"}})" +
                                     std::string(more_spec) + "}}")
                  .status,
              201);
    const std::string path = std::string(kBudgets) + "/" + std::string(name) + "/status";
    ASSERT_TRUE(api.patch(path, kMerge, R"({"status":)" + std::string(status) + "}").ok());
  }
  Answer evict(std::string_view delete_options = "{}", std::string_view query = "") {
    return api.post(
        std::string(kPod) + "/eviction" + std::string(query),
        R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"trainer-0"},)"
        R"("deleteOptions":)" +
            std::string(delete_options) + "}");
  }
  JsonObject budget() { return api.get(std::string(kBudgets) + "/budget").body; }
  bool going() { return has(api.get(kPod).body, {"metadata", "deletionTimestamp"}); }
  bool gone() { return api.get(kPod).status == 404; }
};

constexpr auto kOneLeft = R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2,)"
                          R"("desiredHealthy":1,"expectedPods":2})";
constexpr auto kNoneLeft = R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":1,)"
                           R"("desiredHealthy":1,"expectedPods":1})";

std::string first_cause(const Answer& answer) {
  const JsonArray& causes = array_at(answer.body, {"details", "causes"});
  if (causes.size() != 1) return "no single cause";
  const JsonObject& cause = causes.front().get_object();
  return std::string(text_at(cause, {"reason"})) + ": " + std::string(text_at(cause, {"message"}));
}

TEST_F(Eviction, deletes_gracefully_and_sets_condition) {
  run_pod();
  const Answer evicted = evict();
  EXPECT_EQ(evicted.status, 201);
  EXPECT_EQ(evicted.text({"kind"}), "Status");
  EXPECT_EQ(evicted.text({"status"}), "Success");
  const Answer pod = api.get(kPod);
  EXPECT_EQ(integer_at(pod.body, {"metadata", "deletionGracePeriodSeconds"}), 30);
  const JsonObject* condition =
      find_condition(array_at(pod.body, {"status", "conditions"}), "DisruptionTarget");
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(text_at(*condition, {"status"}), "True");
  EXPECT_EQ(text_at(*condition, {"reason"}), "EvictionByEvictionAPI");
}

TEST_F(Eviction, consumes_budget_and_records_pod) {
  run_pod();
  make_budget(kOneLeft);
  EXPECT_EQ(evict().status, 201);
  EXPECT_TRUE(going());
  EXPECT_EQ(integer_at(budget(), {"status", "disruptionsAllowed"}), 0);
  EXPECT_TRUE(has(budget(), {"status", "disruptedPods", "trainer-0"}));
  const JsonObject spent = budget();
  const JsonObject* condition =
      find_condition(array_at(spent, {"status", "conditions"}), "DisruptionAllowed");
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(text_at(*condition, {"reason"}), "InsufficientPods");
}

TEST_F(Eviction, waits_for_exhausted_budget) {
  run_pod();
  make_budget(kNoneLeft);
  const Answer refused = evict();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.reason(), "TooManyRequests");
  EXPECT_EQ(first_cause(refused),
            "DisruptionBudget: The disruption budget budget needs 1 healthy pods and has 1 "
            "currently");
  EXPECT_FALSE(has(refused.body, {"details", "retryAfterSeconds"}));
  EXPECT_FALSE(going());
}

TEST_F(Eviction, waits_for_budget_with_stale_status) {
  run_pod();
  make_budget(R"({"observedGeneration":0,"disruptionsAllowed":1})");
  const Answer refused = evict();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(first_cause(refused),
            "DisruptionBudget: The disruption budget budget is still being processed by the "
            "server.");
  EXPECT_EQ(integer_at(refused.body, {"details", "retryAfterSeconds"}), 10);
  EXPECT_FALSE(going());
}

TEST_F(Eviction, fails_with_two_budgets) {
  run_pod();
  make_budget(kOneLeft);
  make_budget(kOneLeft, "", "other");
  const Answer refused = evict();
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(refused.reason(), "");
  EXPECT_FALSE(going());
}

struct UnhealthyRow {
  std::string_view sentence;
  std::string_view spec;
  std::string_view status;
  int answer;
};

class UnhealthyPods : public Eviction, public ::testing::WithParamInterface<UnhealthyRow> {};

TEST_P(UnhealthyPods, are_evicted_by_policy) {
  run_pod("False");
  make_budget(GetParam().status, GetParam().spec);
  EXPECT_EQ(evict().status, GetParam().answer);
  EXPECT_FALSE(has(budget(), {"status", "disruptedPods"}));
}

constexpr auto kTooFew = R"({"observedGeneration":1,"currentHealthy":0,"desiredHealthy":1})";

constexpr UnhealthyRow kUnhealthyRows[] = {
    {"while enough others are healthy", "", kNoneLeft, 201},
    {"not while too few are", "", kTooFew, 429},
    {"while too few are if that is always allowed",
     R"(,"unhealthyPodEvictionPolicy":"AlwaysAllow")", kTooFew, 201},
};

INSTANTIATE_TEST_SUITE_P(Rows, UnhealthyPods, ::testing::ValuesIn(kUnhealthyRows), kBySentence);

TEST_F(Eviction, ignores_budget_for_pod_not_running) {
  make_budget(kNoneLeft);
  make_pod();
  EXPECT_EQ(evict().status, 201);
  EXPECT_TRUE(gone()) << "pending, without a node";
  run_pod("False", "Succeeded");
  EXPECT_EQ(evict().status, 201);
  EXPECT_TRUE(gone()) << "done";
}

TEST_F(Eviction, ignores_budget_for_pod_in_deletion) {
  run_pod();
  ASSERT_EQ(evict().status, 201);
  make_budget(kNoneLeft);
  EXPECT_EQ(evict().status, 201);
}

TEST_F(Eviction, checks_preconditions) {
  run_pod();
  const Answer other = evict(R"({"preconditions":{"uid":"another"}})");
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(other.reason(), "Conflict");
  EXPECT_EQ(evict(R"({"preconditions":{"resourceVersion":"1"}})").status, 409);
  const Answer pod = api.get(kPod);
  EXPECT_EQ(find_condition(array_at(pod.body, {"status", "conditions"}), "DisruptionTarget"),
            nullptr);
  EXPECT_EQ(evict(R"({"preconditions":{"uid":")" + std::string(pod.uid()) +
                  R"(","resourceVersion":")" + std::string(pod.resource_version()) + R"("}})")
                .status,
            201);
  EXPECT_TRUE(going());
}

TEST_F(Eviction, changes_nothing_in_dry_run) {
  run_pod();
  make_budget(kOneLeft);
  EXPECT_EQ(evict("{}", "?dryRun=All").status, 201);
  EXPECT_EQ(evict(R"({"dryRun":["All"]})").status, 201);
  EXPECT_EQ(evict(R"({"dryRun":["Some"]})").status, 422);
  EXPECT_FALSE(going());
  EXPECT_EQ(integer_at(budget(), {"status", "disruptionsAllowed"}), 1);
}

TEST_F(Eviction, requires_name_of_path) {
  EXPECT_EQ(evict().status, 404);
  run_pod();
  const std::string path = std::string(kPod) + "/eviction";
  EXPECT_EQ(api.post(path, R"({"metadata":{"name":"trainer-1"}})").status, 400);
  EXPECT_EQ(api.post(path, "{}").status, 400);
  EXPECT_EQ(api.post(path, "no JSON").status, 400);
  EXPECT_EQ(api.post(path, R"({"kind":"Pod","metadata":{"name":"trainer-0"}})").status, 400);
  EXPECT_EQ(api.get(path).status, 405);
  EXPECT_FALSE(going());
  EXPECT_EQ(api.post(path, R"({"metadata":{"name":"trainer-0"}})").status, 201);
}

struct BudgetRow {
  std::string_view sentence;
  std::string_view spec;
  std::string_view blamed;
};

class Budgets : public Api, public ::testing::WithParamInterface<BudgetRow> {};

TEST_P(Budgets, are_validated) {
  const Answer made = api.post(
      kBudgets, R"({"metadata":{"name":"b"},"spec":)" + std::string(GetParam().spec) + "}");
  if (GetParam().blamed.empty()) {
    EXPECT_EQ(made.status, 201);
    return;
  }
  EXPECT_EQ(made.status, 422);
  EXPECT_TRUE(made.blames(GetParam().blamed)) << serialize(made.body);
}

constexpr BudgetRow kBudgetRows[] = {
    {"a number", R"({"minAvailable":2})", ""},
    {"a percentage", R"({"maxUnavailable":"30%"})", ""},
    {"both", R"({"minAvailable":2,"maxUnavailable":1})", "spec"},
    {"less than none", R"({"minAvailable":-1})", "spec.minAvailable"},
    {"more than all", R"({"maxUnavailable":"130%"})", "spec.maxUnavailable"},
    {"text that is no percentage", R"({"maxUnavailable":"many"})", "spec.maxUnavailable"},
    {"an unknown operator", R"({"selector":{"matchExpressions":[{"key":"a","operator":"Like"}]}})",
     "spec.selector.matchExpressions[0].operator"},
    {"a list of nothing",
     R"({"selector":{"matchExpressions":[{"key":"a","operator":"In","values":[]}]}})",
     "spec.selector.matchExpressions[0].values"},
    {"an unknown policy", R"({"unhealthyPodEvictionPolicy":"Never"})",
     "spec.unhealthyPodEvictionPolicy"},
};

INSTANTIATE_TEST_SUITE_P(Rows, Budgets, ::testing::ValuesIn(kBudgetRows), kBySentence);

struct SelectorRow {
  std::string_view sentence;
  std::string_view selector;
  int answer;  // 429: the budget has selected the pod with the label app=trainer
};

class BudgetSelectors : public Eviction, public ::testing::WithParamInterface<SelectorRow> {};

TEST_P(BudgetSelectors, match_pods) {
  run_pod();
  ASSERT_EQ(api.post(kBudgets, R"({"metadata":{"name":"b"},"spec":{"minAvailable":1)" +
                                   std::string(GetParam().selector) + "}}")
                .status,
            201);
  EXPECT_EQ(evict().status, GetParam().answer);
}

constexpr SelectorRow kSelectorRows[] = {
    {"nothing if there is none", "", 201},
    {"everything if it is empty", R"(,"selector":{})", 429},
    {"by a label", R"(,"selector":{"matchLabels":{"app":"server"}})", 201},
    {"one of",
     R"(,"selector":{"matchExpressions":[{"key":"app","operator":"In","values":["trainer"]}]})",
     429},
    {"none of",
     R"(,"selector":{"matchExpressions":[{"key":"app","operator":"NotIn","values":["trainer"]}]})",
     201},
    {"that have a label", R"(,"selector":{"matchExpressions":[{"key":"app","operator":"Exists"}]})",
     429},
    {"that do not have a label",
     R"(,"selector":{"matchExpressions":[{"key":"x","operator":"DoesNotExist"}]})", 429},
};

INSTANTIATE_TEST_SUITE_P(Rows, BudgetSelectors, ::testing::ValuesIn(kSelectorRows), kBySentence);

}  // namespace
}  // namespace dcm::apiserver
