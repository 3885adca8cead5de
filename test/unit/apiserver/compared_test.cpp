// What the comparison with a real server (test/compare) has taught this one, a sentence each: so
// that it stays true where no real server is at hand.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kMap = "/api/v1/namespaces/default/configmaps/m";
constexpr std::string_view kLeases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";

class Compared : public Api {
 protected:
  Compared() : Api({.served = {.resource = {"v1", "v1beta1"}}}) {}

  Answer make_map(std::string_view metadata = R"("name":"m")") {
    return api.post(kMaps, R"({"metadata":{)" + std::string(metadata) + "}}");
  }
  static std::string finalizers(const Answer& answer) {
    return serialize(Json(array_at(answer.body, {"metadata", "finalizers"})));
  }
  // "Apply alice", "Update test", …
  static std::vector<std::string> managers(const Answer& answer) {
    std::vector<std::string> names;
    for (const Json& entry : array_at(answer.body, {"metadata", "managedFields"})) {
      names.push_back(std::string(text_at(entry.get_object(), {"operation"})) + " " +
                      std::string(text_at(entry.get_object(), {"manager"})));
    }
    return names;
  }
  Answer apply_map(std::string_view manager, std::string_view members) {
    return api.patch(std::string(kMap) + "?fieldManager=" + std::string(manager), kApply,
                     R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m")" +
                         std::string(members) + "}}");
  }
};

TEST_F(Compared, what_is_deleted_with_its_dependents_to_be_orphaned_waits_for_the_collector) {
  make_map();
  const Answer waits = api.remove(kMap, R"({"propagationPolicy":"Orphan"})");
  EXPECT_EQ(finalizers(waits), R"(["orphan"])");
  EXPECT_TRUE(has(waits.body, {"metadata", "deletionTimestamp"}));
  EXPECT_EQ(finalizers(api.remove(kMap)), R"(["orphan"])");
  EXPECT_EQ(api.remove(kMap, R"({"propagationPolicy":"Background"})").status, 200);
  EXPECT_EQ(api.get(kMap).status, 404);
}

TEST_F(Compared, a_foreground_deletion_waits_too_and_old_clients_are_told_so_with_202) {
  make_map();
  EXPECT_EQ(finalizers(api.remove(kMap, R"({"propagationPolicy":"Foreground"})")),
            R"(["foregroundDeletion"])");
  make_map(R"("name":"n","finalizers":["x/y"])");
  EXPECT_EQ(api.remove(std::string(kMaps) + "/n", R"({"orphanDependents":false})").status, 202);
}

TEST_F(Compared, there_are_three_ways_of_propagation) {
  make_map();
  EXPECT_TRUE(api.remove(kMap, R"({"propagationPolicy":"Sideways"})").blames("propagationPolicy"));
  EXPECT_TRUE(api.remove(kMap, R"({"propagationPolicy":"Orphan","orphanDependents":true})")
                  .blames("propagationPolicy"));
}

TEST_F(Compared, a_deleted_collection_is_shown_as_it_was) {
  make_map();
  const Answer gone = api.remove(kMaps);
  EXPECT_EQ(array_at(gone.body, {"items"}).size(), 1U);
  EXPECT_TRUE(has(gone.body, {"metadata", "resourceVersion"}));
  EXPECT_EQ(api.remove("/api/v1/namespaces").status, 405);
}

TEST_F(Compared, a_put_makes_a_lease_unless_it_means_another) {
  const std::string lease(std::string(kLeases) + "/l");
  EXPECT_EQ(api.put(lease, R"({"metadata":{"name":"l","uid":"1"}})").status, 409);
  EXPECT_EQ(api.put(lease, R"({"metadata":{"name":"l","resourceVersion":"7"}})").status, 201);
  EXPECT_EQ(api.put(kMap, R"({"metadata":{"name":"m"}})").status, 404);
}

TEST_F(Compared, an_invalid_object_is_refused_as_such_even_if_its_name_is_taken) {
  make_map();
  EXPECT_EQ(make_map().status, 409);
  EXPECT_EQ(make_map(R"("name":"m","labels":{"a b":"c"})").status, 422);
}

TEST_F(Compared, keys_values_and_finalizers_have_a_form) {
  EXPECT_TRUE(make_map(R"("name":"m","labels":{"a":"b c"})").blames("metadata.labels"));
  EXPECT_TRUE(make_map(R"("name":"m","annotations":{"a b":""})").blames("metadata.annotations"));
  EXPECT_TRUE(make_map(R"("name":"m","finalizers":["x/!"])").blames("metadata.finalizers"));
  EXPECT_TRUE(make_map(R"("name":"m","finalizers":["plain"])").blames("metadata.finalizers[0]"));
  EXPECT_TRUE(make_map(R"("name":"Large")").blames("metadata.name"));
  EXPECT_EQ(api.get(std::string(kMaps) + "?labelSelector=a%3Db%20c").status, 400);
}

TEST_F(Compared, members_that_go_always_writes_are_there) {
  const Answer event = api.post("/api/v1/namespaces/default/events",
                                R"({"metadata":{"name":"e"},"involvedObject":{}})");
  ASSERT_EQ(event.status, 201);
  EXPECT_TRUE(event.body.contains("eventTime"));
  const Answer claim = api.post(kClaims, R"({"metadata":{"name":"c"}})");
  EXPECT_EQ(serialize(*find(claim.body, {"spec"})), R"({"devices":{"requests":null}})");
}

TEST_F(Compared, what_admission_adds_belongs_to_nobody) {
  make_pod();
  const Answer applied =
      api.patch(std::string(kPod) + "?fieldManager=alice", kApply,
                R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"trainer-0"},
      "spec":{"priority":0,"tolerations":[]}})");
  EXPECT_NE(applied.status, 409);
}

TEST_F(Compared, who_makes_a_map_keeps_it_when_another_changes_its_values) {
  make_map(R"("name":"m","labels":{"a":"b"})");
  const Answer changed = api.patch(std::string(kMap) + "?fieldManager=other", kMerge,
                                   R"({"metadata":{"labels":{"a":"c"}}})");
  EXPECT_EQ(managers(changed), (std::vector<std::string>{"Update test", "Update other"}));
}

TEST_F(Compared, what_nobody_manages_stays_so_until_an_apply) {
  apply_map("alice", "");
  const Answer patched = api.patch(kMap, kMerge, R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(managers(patched), std::vector<std::string>{});
  const Answer applied = apply_map("alice", R"(,"annotations":{"x":"y"})");
  EXPECT_EQ(managers(applied),
            (std::vector<std::string>{"Update before-first-apply", "Apply alice"}));
}

TEST_F(Compared, what_nobody_holds_any_more_goes_with_all_that_is_below_it) {
  const std::string status = std::string(kPodStatus) + "?fieldManager=bob";
  api.patch(std::string(kPod) + "?fieldManager=alice", kApply,
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"trainer-0"},"spec":{
                "schedulingGates":[{"name":"x.com/wait"}],
                "containers":[{"name":"c","image":"i"}]}})");
  const Answer added =
      api.patch(status, kApply, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"trainer-0"},
      "status":{"conditions":[{"type":"Own","status":"True"}]}})");
  EXPECT_EQ(array_at(added.body, {"status", "conditions"}).size(), 2U);
  const Answer left =
      api.patch(status, kApply, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"trainer-0"},
      "status":{"observedGeneration":1}})");
  EXPECT_EQ(left.status, 200);
  EXPECT_FALSE(has(left.body, {"status", "conditions"}));
}

TEST_F(Compared, requests_stay_where_somebody_manages_the_claim_under_another_version) {
  constexpr std::string_view kBob = "?fieldManager=bob";
  const auto apply = [&](std::string_view devices) {
    return api.patch(std::string(kClaim) + std::string(kBob), kApply,
                     R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",
                         "metadata":{"name":"shared"},"spec":{"devices":)" +
                         std::string(devices) + "}}");
  };
  apply(R"({"requests":[{"name":"one","exactly":{"deviceClassName":"gpu"}}]})");
  EXPECT_EQ(apply("{}").status, 422);
  api.patch("/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims/shared", kMerge,
            R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(apply("{}").status, 200);
}

TEST_F(Compared, a_put_says_who_manages_what_if_it_says_anything) {
  const Answer made = make_map(R"("name":"m","labels":{"a":"b"})");
  apply_map("alice", R"(,"annotations":{"x":"y"})");
  JsonObject stale = made.body;
  child(stale, "metadata").erase("resourceVersion");
  EXPECT_EQ(managers(api.put(kMap, serialize(stale))), std::vector<std::string>{"Update test"});
}

TEST_F(Compared, pages_that_start_at_a_version_are_of_that_version) {
  const Answer first = make_map();
  make_map(R"("name":"n")");
  const Answer page = api.get(std::string(kMaps) +
                              "?limit=5&resourceVersion=" + std::string(first.resource_version()));
  EXPECT_EQ(array_at(page.body, {"items"}).size(), 1U);
}

TEST_F(Compared, pods_of_a_node_are_counted_into_pages_whatever_their_labels) {
  make_pod("node-a");
  api.post(kPods, R"({"metadata":{"name":"unlabelled"},"spec":{"nodeName":"node-a",
      "containers":[{"name":"c","image":"i"}]}})");
  const Answer page = api.get(std::string(kPods) +
                              "?limit=1&fieldSelector=spec.nodeName%3Dnode-a&labelSelector=app");
  EXPECT_TRUE(has(page.body, {"metadata", "continue"}));
}

TEST_F(Compared, a_look_up_by_name_has_no_pages) {
  make_map();
  make_map(R"("name":"n")");
  const Answer page = api.get(std::string(kMaps) + "?limit=1&fieldSelector=metadata.name%3Dm");
  EXPECT_EQ(array_at(page.body, {"items"}).size(), 1U);
  EXPECT_FALSE(has(page.body, {"metadata", "continue"}));
}

TEST_F(Compared, an_immutable_map_keeps_its_data) {
  api.post(kMaps, R"({"metadata":{"name":"m"},"immutable":true,"data":{"a":"b"}})");
  EXPECT_TRUE(api.patch(kMap, kMerge, R"({"data":{"a":"c"}})").blames("data"));
}

}  // namespace
}  // namespace dcm::apiserver
