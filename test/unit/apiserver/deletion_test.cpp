// Deletions that wait: for a garbage collector, by the propagation policy, and for a namespace's
// finalizers.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kNode = "/api/v1/nodes/n";
constexpr std::string_view kSpace = "/api/v1/namespaces/lab";

class Deletion : public Api {
 protected:
  void make_node(std::string_view finalizers = "") {
    ASSERT_EQ(api.post("/api/v1/nodes", R"({"metadata":{"name":"n","finalizers":[)" +
                                            std::string(finalizers) + "]}}")
                  .status,
              201);
  }
  std::vector<std::string> finalizers(std::string_view path) {
    const Answer object = api.get(path);
    std::vector<std::string> names;
    for (const Json& name : array_at(object.body, {"metadata", "finalizers"})) {
      names.emplace_back(view(name.get_string()));
    }
    return names;
  }
};

using Names = std::vector<std::string>;

TEST_F(Deletion, waits_for_garbage_collector_in_foreground) {
  make_node();
  EXPECT_EQ(api.remove(kNode, R"({"propagationPolicy":"Foreground"})").status, 200);
  EXPECT_EQ(finalizers(kNode), (Names{"foregroundDeletion"}));
  EXPECT_TRUE(has(api.get(kNode).body, {"metadata", "deletionTimestamp"}));
  api.patch(kNode, kMerge, R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(api.get(kNode).status, 404);
}

TEST_F(Deletion, waits_for_garbage_collector_when_orphaning) {
  make_node();
  EXPECT_EQ(api.send("DELETE", std::string(kNode) + "?propagationPolicy=Orphan", "", "").status,
            200);
  EXPECT_EQ(finalizers(kNode), (Names{"orphan"}));
}

TEST_F(Deletion, completes_at_once_in_background) {
  make_node();
  EXPECT_EQ(api.remove(kNode, R"({"propagationPolicy":"Background"})").status, 200);
  EXPECT_EQ(api.get(kNode).status, 404);
}

TEST_F(Deletion, replaces_earlier_policy_by_later_one) {
  make_node(R"("example.com/mine")");
  api.remove(kNode, R"({"propagationPolicy":"Orphan"})");
  EXPECT_EQ(finalizers(kNode), (Names{"example.com/mine", "orphan"}));
  const std::string since(api.get(kNode).text({"metadata", "deletionTimestamp"}));
  time.advance_to(time.now() + std::chrono::minutes(1));
  api.remove(kNode);
  EXPECT_EQ(finalizers(kNode), (Names{"example.com/mine", "orphan"}));
  api.remove(kNode, R"({"propagationPolicy":"Background"})");
  EXPECT_EQ(finalizers(kNode), (Names{"example.com/mine"}));
  EXPECT_EQ(api.get(kNode).text({"metadata", "deletionTimestamp"}), since);
}

class Namespaces : public Deletion {
 protected:
  Namespaces() { api.post("/api/v1/namespaces", R"({"metadata":{"name":"lab"}})"); }
  Answer finalize(std::string_view spec_finalizers) {
    return api.put(std::string(kSpace) + "/finalize",
                   R"({"metadata":{"name":"lab"},"spec":{"finalizers":[)" +
                       std::string(spec_finalizers) + "]}}");
  }
};

TEST_F(Namespaces, stay_until_finalized) {
  EXPECT_EQ(api.remove(kSpace).text({"status", "phase"}), "Terminating");
  api.remove(kSpace);
  EXPECT_EQ(api.get(kSpace).status, 200);
  const Answer last = finalize("");
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(last.text({"status", "phase"}), "Terminating");
  EXPECT_EQ(api.get(kSpace).status, 404);
}

TEST_F(Namespaces, disappear_on_second_delete_if_finalized_before) {
  EXPECT_EQ(finalize("").status, 200);
  EXPECT_EQ(api.get(kSpace).status, 200);
  EXPECT_EQ(api.remove(kSpace).status, 200);
  EXPECT_EQ(api.get(kSpace).text({"status", "phase"}), "Terminating");
  EXPECT_EQ(api.remove(kSpace).status, 200);
  EXPECT_EQ(api.get(kSpace).status, 404);
}

TEST_F(Namespaces, keep_finalizers_in_other_updates) {
  api.put(kSpace, R"({"metadata":{"name":"lab"},"spec":{"finalizers":[]}})");
  api.patch(kSpace, kMerge, R"({"spec":null})");
  const Answer space = api.get(kSpace);
  EXPECT_EQ(array_at(space.body, {"spec", "finalizers"}).size(), 1U);
  EXPECT_EQ(api.get(std::string(kSpace) + "/finalize").status, 405);
  EXPECT_EQ(api.patch(std::string(kSpace) + "/finalize", kMerge, "{}").status, 405);
}

}  // namespace
}  // namespace dcm::apiserver
