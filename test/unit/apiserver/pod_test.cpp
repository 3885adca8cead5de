// Pods: claim names by server-side apply, conditions, graceful deletion.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

class Pod : public Api {
 protected:
  static std::string entry(std::string_view name, std::string_view claim) {
    return R"({"name":")" + std::string(name) + R"(","resourceClaimName":")" + std::string(claim) +
           R"("})";
  }
  Answer apply_names(const std::string& entries, std::string_view manager = "ours",
                     std::string_view more_metadata = "") {
    return api.patch(std::string(kPodStatus) + "?force=true&fieldManager=" + std::string(manager),
                     kApply,
                     R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"trainer-0")" +
                         std::string(more_metadata) + R"(},"status":{"resourceClaimStatuses":[)" +
                         entries + "]}}");
  }
  // "gpus=a nic=b ".
  std::string names() {
    std::string text;
    for (const Json& item : array_at(api.get(kPod).body, {"status", "resourceClaimStatuses"})) {
      text += std::string(text_at(item.get_object(), {"name"})) + "=" +
              std::string(text_at(item.get_object(), {"resourceClaimName"})) + " ";
    }
    return text;
  }
};

TEST_F(Pod, rejects_requests_that_need_container) {
  make_pod();
  for (const auto* what : {"/log?container=c", "/exec?command=ls", "/attach", "/portforward"}) {
    const Answer refused = api.get(std::string(kPod) + what);
    EXPECT_EQ(refused.status, 400) << what;
    EXPECT_NE(refused.text({"message"}).find("no container runs there"), std::string::npos) << what;
  }
  EXPECT_EQ(api.post(std::string(kPod) + "/exec", "").status, 400);
  EXPECT_EQ(api.get("/api/v1/namespaces/default/pods/nobody/log").status, 404);
}

TEST_F(Pod, may_not_request_more_than_its_limit) {
  const auto cause = [&](const std::string& resources) {
    const Answer answer = api.post(
        "/api/v1/namespaces/default/pods",
        R"({"metadata":{"generateName":"p-"},"spec":{"containers":[{"name":"c","image":"i",)"
        R"("resources":)" +
            resources + "}]}}");
    return answer.status == 201 ? "" : std::string(answer.text({"message"}));
  };
  EXPECT_EQ(cause(R"({"requests":{"cpu":"1"},"limits":{"cpu":"1000m"}})"), "");
  EXPECT_EQ(cause(R"({"limits":{"example.com/gpu":"1"}})"), "");
  EXPECT_TRUE(
      cause(R"({"requests":{"cpu":"2"},"limits":{"cpu":"1"}})")
          .contains("spec.containers[0].resources.requests: Invalid value: \"2\": must be less "
                    "than or equal to cpu limit of 1"));
  EXPECT_TRUE(cause(R"({"requests":{"example.com/gpu":"1"}})")
                  .contains("Limit must be set for non overcommitable resources"));
  EXPECT_TRUE(cause(R"({"limits":{"example.com/gpu":"500m"}})").contains("must be an integer"));
  EXPECT_TRUE(cause(R"({"limits":{"cpu":"-1"}})").contains("must be greater than or equal to 0"));
}

TEST_F(Pod, gets_claim_names_by_apply) {
  make_pod();
  EXPECT_EQ(apply_names(entry("gpus", "a") + "," + entry("nic", "b")).status, 200);
  EXPECT_EQ(names(), "gpus=a nic=b ");
  EXPECT_EQ(apply_names(entry("gpus", "c") + "," + entry("nic", "b")).status, 200);
  EXPECT_EQ(names(), "gpus=c nic=b ");
}

TEST_F(Pod, loses_entries_omitted_by_apply) {
  make_pod();
  apply_names(entry("gpus", "a") + "," + entry("nic", "b"));
  apply_names(entry("nic", "b"));
  EXPECT_EQ(names(), "nic=b ");
}

TEST_F(Pod, keeps_entries_of_other_managers_on_apply) {
  make_pod();
  apply_names(entry("gpus", "a") + "," + entry("nic", "b"));
  apply_names(entry("gpus", "a"), "theirs");
  apply_names(entry("nic", "b"));
  EXPECT_EQ(names(), "gpus=a nic=b ");
  apply_names(entry("nic", "b"), "theirs");
  EXPECT_EQ(names(), "nic=b ");
}

TEST_F(Pod, keeps_entries_of_other_writes_on_apply) {
  make_pod();
  api.patch(kPodStatus, kStrategic,
            R"({"status":{"resourceClaimStatuses":[)" + entry("gpus", "a") + "]}}");
  apply_names(entry("nic", "b"));
  EXPECT_EQ(names(), "gpus=a nic=b ");
}

TEST_F(Pod, keeps_last_entry_if_omitted) {
  make_pod();
  apply_names(entry("gpus", "a"));
  const Answer without = api.patch(std::string(kPodStatus) + "?force=true&fieldManager=ours",
                                   kApply, R"({"apiVersion":"v1","kind":"Pod","status":{}})");
  EXPECT_EQ(without.status, 200);
  EXPECT_EQ(names(), "gpus=a ");
}

TEST_F(Pod, loses_overwritten_entry_with_its_first_manager) {
  make_pod();
  apply_names(entry("gpus", "a") + "," + entry("nic", "b"));
  api.patch(kPodStatus, kStrategic,
            R"({"status":{"resourceClaimStatuses":[)" + entry("gpus", "z") + "]}}");
  apply_names(entry("nic", "b"));
  EXPECT_EQ(names(), "nic=b ");
}

TEST_F(Pod, keeps_last_entry_with_empty_list) {
  make_pod();
  apply_names(entry("gpus", "a"));
  EXPECT_EQ(apply_names("").status, 200);
  EXPECT_EQ(names(), "gpus=a ");
}

TEST_F(Pod, keeps_applied_order) {
  make_pod();
  apply_names(entry("gpus", "a") + "," + entry("nic", "b"));
  apply_names(entry("nic", "b") + "," + entry("gpus", "a"));
  EXPECT_EQ(names(), "nic=b gpus=a ");
  apply_names(entry("gpus", "a"), "theirs");
  EXPECT_EQ(names(), "nic=b gpus=a ");
}

TEST_F(Pod, rejects_duplicate_entry_in_apply) {
  make_pod();
  const Answer refused = apply_names(entry("gpus", "a") + "," + entry("gpus", "b"));
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(refused.text({"message"}),
            R"(failed to create typed patch object (/trainer-0; /v1, Kind=Pod): )"
            R"(.status.resourceClaimStatuses: duplicate entries for key [name="gpus"])");
}

TEST_F(Pod, stays_unchanged_by_repeated_apply) {
  make_pod();
  const Answer first = apply_names(entry("gpus", "a"));
  time.step_wall(std::chrono::hours(1));
  EXPECT_EQ(apply_names(entry("gpus", "a")).resource_version(), first.resource_version());
}

TEST_F(Pod, conflicts_on_apply_without_force) {
  make_pod();
  apply_names(entry("gpus", "a"), "theirs");
  const std::string body =
      R"({"apiVersion":"v1","kind":"Pod","status":{"resourceClaimStatuses":[)" +
      entry("gpus", "b") + "]}}";
  const Answer refused = api.patch(std::string(kPodStatus) + "?fieldManager=ours", kApply, body);
  EXPECT_EQ(refused.status, 409);
  EXPECT_TRUE(refused.blames(R"(.status.resourceClaimStatuses[name="gpus"].resourceClaimName)"))
      << serialize(refused.body);
  EXPECT_EQ(names(), "gpus=a ");
}

struct ApplyRow {
  std::string_view sentence;
  std::string_view query;
  std::string_view body;
  int status;
  std::string_view reason;
  std::string_view field;
};

class RefusedApply : public Api, public ::testing::WithParamInterface<ApplyRow> {};

TEST_P(RefusedApply, is_answered) {
  const ApplyRow& row = GetParam();
  make_pod();
  const Revision before = server.store().revision();
  const Answer answer =
      api.patch(std::string(kPodStatus) + std::string(row.query), kApply, std::string(row.body));
  EXPECT_EQ(answer.status, row.status) << row.sentence << "\n" << serialize(answer.body);
  EXPECT_EQ(answer.reason(), row.reason) << row.sentence;
  if (!row.field.empty()) {
    EXPECT_TRUE(answer.blames(row.field)) << row.sentence << "\n" << serialize(answer.body);
  }
  EXPECT_EQ(server.store().revision(), before) << row.sentence;
}

constexpr std::string_view kManager = "?fieldManager=m&force=true";

constexpr ApplyRow kApplyRows[] = {
    {"without a field manager", "?force=true", R"({"apiVersion":"v1","kind":"Pod"})", 422,
     "Invalid", "fieldManager"},
    {"another version than the path's", kManager, R"({"apiVersion":"v2","kind":"Pod"})", 400,
     "BadRequest", ""},
    {"with managed fields", kManager,
     R"({"apiVersion":"v1","kind":"Pod","metadata":{"managedFields":[]}})", 400, "BadRequest", ""},
    {"for another UID", kManager, R"({"apiVersion":"v1","kind":"Pod","metadata":{"uid":"x"}})", 422,
     "Invalid", "metadata.uid"},
    {"for an old version", kManager,
     R"({"apiVersion":"v1","kind":"Pod","metadata":{"resourceVersion":"1"}})", 409, "Conflict", ""},
    {"a name that the spec does not have", kManager,
     R"({"apiVersion":"v1","kind":"Pod","status":{"resourceClaimStatuses":[{"name":"x"}]}})", 422,
     "Invalid", "status.resourceClaimStatuses[0].name"},
};

INSTANTIATE_TEST_SUITE_P(Rows, RefusedApply, ::testing::ValuesIn(kApplyRows), kBySentence);

TEST_F(Pod, is_not_created_by_status_apply) {
  const Answer answer = apply_names(entry("gpus", "a"));
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.text({"details", "name"}), "trainer-0");
}

TEST_F(Pod, is_created_by_main_apply) {
  const Answer made = api.patch(
      "/api/v1/namespaces/default/configmaps/c?fieldManager=m", kApply,
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1","b":"2"}})");
  EXPECT_EQ(made.status, 201);
  const Answer less = api.patch(
      "/api/v1/namespaces/default/configmaps/c?fieldManager=m", kApply,
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1"}})");
  EXPECT_EQ(less.status, 200);
  EXPECT_EQ(serialize(object_at(less.body, {"data"})), R"({"a":"1"})");
}

TEST_F(Pod, accepts_labels_but_neither_spec_nor_owners_in_status_write) {
  make_pod();
  const Answer after = api.patch(kPodStatus, kMerge,
                                 R"({"metadata":{"labels":{"app":"other"},"ownerReferences":[
          {"apiVersion":"v1","kind":"Pod","name":"a","uid":"1"}]},"spec":{"nodeName":"n"}})");
  EXPECT_EQ(after.text({"metadata", "labels", "app"}), "other");
  EXPECT_FALSE(has(after.body, {"metadata", "ownerReferences"}));
  EXPECT_EQ(after.text({"spec", "nodeName"}), "");
}

TEST_F(Pod, merges_conditions_by_type) {
  make_pod();
  api.patch(kPodStatus, kStrategic,
            R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  const Answer after = api.patch(
      kPodStatus, kStrategic,
      R"({"status":{"conditions":[{"type":"DisruptionTarget","status":"True","message":""}]}})");
  EXPECT_EQ(serialize(Json(array_at(after.body, {"status", "conditions"}))),
            R"([{"type":"DisruptionTarget","status":"True",)"
            R"("lastTransitionTime":null,"lastProbeTime":null},)"
            R"({"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":null}])");
}

TEST_F(Pod, allows_only_few_spec_changes) {
  make_pod();
  const Answer refused = api.patch(kPod, kMerge, R"({"spec":{"nodeName":"n"}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.blames("spec"));
  const Answer taken =
      api.patch(kPod, kStrategic, R"({"spec":{"containers":[{"name":"c","image":"j"}]}})");
  EXPECT_EQ(taken.status, 200);
  EXPECT_EQ(integer_at(taken.body, {"metadata", "generation"}), 2);
}

TEST_F(Pod, stays_on_node_until_kubelet_confirms) {
  make_pod("node-a");
  const Answer marked = api.remove(kPod);
  EXPECT_EQ(marked.status, 200);
  EXPECT_EQ(marked.text({"metadata", "deletionTimestamp"}), "2024-10-04T00:00:30Z");
  EXPECT_EQ(integer_at(marked.body, {"metadata", "deletionGracePeriodSeconds"}), 30);
  EXPECT_EQ(api.remove(kPod).resource_version(), marked.resource_version());
  EXPECT_EQ(api.remove(kPod, R"({"gracePeriodSeconds":0})").status, 200);
  EXPECT_EQ(api.get(kPod).status, 404);
}

TEST_F(Pod, accepts_only_shorter_grace_period) {
  make_pod("node-a");
  api.remove(kPod, R"({"gracePeriodSeconds":20})");
  EXPECT_EQ(integer_at(api.remove(kPod, R"({"gracePeriodSeconds":25})").body,
                       {"metadata", "deletionGracePeriodSeconds"}),
            20);
  EXPECT_EQ(integer_at(api.remove(kPod, R"({"gracePeriodSeconds":5})").body,
                       {"metadata", "deletionGracePeriodSeconds"}),
            5);
}

TEST_F(Pod, is_deleted_earlier_by_shorter_grace_period) {
  make_pod("node-a");
  const Answer marked = api.remove(kPod, R"({"gracePeriodSeconds":20})");
  EXPECT_EQ(marked.text({"metadata", "deletionTimestamp"}), "2024-10-04T00:00:20Z");
  time.advance_to(time.now() + std::chrono::seconds(10));
  const Answer hurried = api.remove(kPod, R"({"gracePeriodSeconds":5})");
  EXPECT_EQ(hurried.text({"metadata", "deletionTimestamp"}), "2024-10-04T00:00:05Z");
}

TEST_F(Pod, accepts_grace_period_of_any_size) {
  make_pod("node-a");
  const Answer marked = api.remove(kPod, R"({"gracePeriodSeconds":9223372036854775807})");
  EXPECT_EQ(marked.text({"metadata", "deletionTimestamp"}), "2124-10-05T00:00:00Z");
  const Answer hurried = api.remove(kPod, R"({"gracePeriodSeconds":5})");
  EXPECT_EQ(hurried.text({"metadata", "deletionTimestamp"}), "2024-10-04T00:00:05Z");
}

TEST_F(Pod, gets_a_second_for_a_negative_grace_period) {
  for (const auto* body : {"", R"({"gracePeriodSeconds":-1})"}) {
    make_pod("node-a");
    const Answer marked =
        api.remove(std::string(kPod) + (*body == 0 ? "?gracePeriodSeconds=-1" : ""), body);
    EXPECT_EQ(integer_at(marked.body, {"metadata", "deletionGracePeriodSeconds"}), 1) << body;
    EXPECT_EQ(marked.text({"metadata", "deletionTimestamp"}), "2024-10-04T00:00:01Z") << body;
    api.remove(kPod, R"({"gracePeriodSeconds":0})");
  }
}

// The pod is still marked first, so that its watchers see two events.
TEST_F(Pod, is_deleted_at_once_without_node) {
  const Answer made = make_pod();
  auto watch = api.watch(std::string(kPods) +
                         "?watch=1&resourceVersion=" + std::string(made.resource_version()));
  const Answer gone = api.remove(kPod);
  EXPECT_EQ(gone.status, 200);
  EXPECT_EQ(integer_at(gone.body, {"metadata", "deletionGracePeriodSeconds"}), 0);
  EXPECT_EQ(api.get(kPod).status, 404);
  EXPECT_EQ(summary(drain(**watch)),
            (std::vector<std::string>{"MODIFIED trainer-0", "DELETED trainer-0"}));
}

TEST_F(Pod, accepts_status_during_deletion) {
  make_pod("node-a");
  const Answer marked = api.remove(kPod);
  const Answer written = api.patch(kPodStatus, kMerge, R"({"status":{"phase":"Running"}})");
  EXPECT_EQ(written.status, 200);
  EXPECT_EQ(written.text({"metadata", "deletionTimestamp"}),
            marked.text({"metadata", "deletionTimestamp"}));
  const Answer refused =
      api.patch(kPod, kMerge, R"({"metadata":{"deletionGracePeriodSeconds":1}})");
  EXPECT_TRUE(refused.blames("metadata.deletionGracePeriodSeconds"));
}

TEST_F(Pod, is_deleted_at_once_if_finished) {
  make_pod("node-a");
  api.patch(kPodStatus, kMerge, R"({"status":{"phase":"Succeeded"}})");
  api.remove(kPod);
  EXPECT_EQ(api.get(kPod).status, 404);
}

TEST_F(Pod, stays_after_grace_period_with_finalizer) {
  make_pod();
  api.patch(kPod, kMerge, R"({"metadata":{"finalizers":["f/f"]}})");
  EXPECT_TRUE(has(api.remove(kPod).body, {"metadata", "deletionTimestamp"}));
  EXPECT_EQ(api.get(kPod).status, 200);
  api.patch(kPod, kMerge, R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(api.get(kPod).status, 404);
}

}  // namespace
}  // namespace dcm::apiserver
