// Findings of the comparison with a real server (test/compare), as tests that run without one.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kMap = "/api/v1/namespaces/default/configmaps/m";
constexpr std::string_view kLeases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";

class Compared : public Api {
 protected:
  explicit Compared(Ownership ownership = Ownership::of_all)
      : Api({.served = {.resource = {"v1", "v1beta1"}}, .ownership = ownership}) {}

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

TEST_F(Compared, object_deleted_with_orphan_waits_for_collector) {
  make_map();
  const Answer waits = api.remove(kMap, R"({"propagationPolicy":"Orphan"})");
  EXPECT_EQ(finalizers(waits), R"(["orphan"])");
  EXPECT_TRUE(has(waits.body, {"metadata", "deletionTimestamp"}));
  EXPECT_EQ(finalizers(api.remove(kMap)), R"(["orphan"])");
  EXPECT_EQ(api.remove(kMap, R"({"propagationPolicy":"Background"})").status, 200);
  EXPECT_EQ(api.get(kMap).status, 404);
}

TEST_F(Compared, shows_immediately_deleted_object_unchanged) {
  make_claim();
  const Answer waits = api.remove(kClaim, R"({"propagationPolicy":"Orphan"})");
  auto watch = api.watch(std::string(kClaims) +
                         "?watch=1&resourceVersion=" + std::string(waits.resource_version()));
  const Answer gone = api.remove(kClaim, R"({"propagationPolicy":"Background"})");
  EXPECT_EQ(finalizers(gone), R"(["orphan"])");
  EXPECT_EQ(summary(drain(**watch)), std::vector<std::string>{"DELETED shared"});
}

TEST_F(Compared, answers_202_to_old_clients_for_foreground_deletion) {
  make_map();
  EXPECT_EQ(finalizers(api.remove(kMap, R"({"propagationPolicy":"Foreground"})")),
            R"(["foregroundDeletion"])");
  make_map(R"("name":"n","finalizers":["x/y"])");
  EXPECT_EQ(api.remove(std::string(kMaps) + "/n", R"({"orphanDependents":false})").status, 202);
}

TEST_F(Compared, knows_three_propagation_policies) {
  make_map();
  EXPECT_TRUE(api.remove(kMap, R"({"propagationPolicy":"Sideways"})").blames("propagationPolicy"));
  EXPECT_TRUE(api.remove(kMap, R"({"propagationPolicy":"Orphan","orphanDependents":true})")
                  .blames("propagationPolicy"));
}

TEST_F(Compared, shows_deleted_collection_as_it_was) {
  make_map();
  const Answer gone = api.remove(kMaps);
  EXPECT_EQ(array_at(gone.body, {"items"}).size(), 1U);
  EXPECT_TRUE(has(gone.body, {"metadata", "resourceVersion"}));
  EXPECT_EQ(api.remove("/api/v1/namespaces").status, 405);
}

TEST_F(Compared, creates_lease_by_put_without_foreign_identity) {
  const std::string lease(std::string(kLeases) + "/l");
  EXPECT_EQ(api.put(lease, R"({"metadata":{"name":"l","uid":"1"}})").status, 409);
  EXPECT_EQ(api.put(lease, R"({"metadata":{"name":"l","resourceVersion":"7"}})").status, 201);
  EXPECT_EQ(api.put(kMap, R"({"metadata":{"name":"m"}})").status, 404);
}

TEST_F(Compared, reports_invalid_object_before_taken_name) {
  make_map();
  EXPECT_EQ(make_map().status, 409);
  EXPECT_EQ(make_map(R"("name":"m","labels":{"a b":"c"})").status, 422);
}

TEST_F(Compared, checks_format_of_keys_values_and_finalizers) {
  EXPECT_TRUE(make_map(R"("name":"m","labels":{"a":"b c"})").blames("metadata.labels"));
  EXPECT_TRUE(make_map(R"("name":"m","annotations":{"a b":""})").blames("metadata.annotations"));
  EXPECT_TRUE(make_map(R"("name":"m","finalizers":["x/!"])").blames("metadata.finalizers"));
  EXPECT_TRUE(make_map(R"("name":"m","finalizers":["plain"])").blames("metadata.finalizers[0]"));
  EXPECT_TRUE(make_map(R"("name":"Large")").blames("metadata.name"));
  EXPECT_EQ(api.get(std::string(kMaps) + "?labelSelector=a%3Db%20c").status, 400);
}

TEST_F(Compared, includes_members_that_go_always_writes) {
  const Answer event = api.post("/api/v1/namespaces/default/events",
                                R"({"metadata":{"name":"e"},"involvedObject":{}})");
  ASSERT_EQ(event.status, 201);
  EXPECT_TRUE(event.body.contains("eventTime"));
  const Answer slice = api.post("/apis/resource.k8s.io/v1/resourceslices",
                                R"({"metadata":{"name":"s"},"spec":{"driver":"d","allNodes":true,
      "pool":{"name":"p","resourceSliceCount":1}}})");
  EXPECT_EQ(integer_at(slice.body, {"spec", "pool", "generation"}), 0);
  const Answer claim = api.post(kClaims, R"({"metadata":{"name":"c"}})");
  EXPECT_EQ(serialize(*find(claim.body, {"spec"})), R"({"devices":{"requests":null}})");
}

TEST_F(Compared, assigns_no_owner_to_fields_added_by_admission) {
  make_pod();
  const Answer applied =
      api.patch(std::string(kPod) + "?fieldManager=alice", kApply,
                R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"trainer-0"},
      "spec":{"priority":0,"tolerations":[]}})");
  EXPECT_NE(applied.status, 409);
}

TEST_F(Compared, keeps_creator_as_owner_of_map_with_changed_values) {
  make_map(R"("name":"m","labels":{"a":"b"})");
  const Answer changed = api.patch(std::string(kMap) + "?fieldManager=other", kMerge,
                                   R"({"metadata":{"labels":{"a":"c"}}})");
  EXPECT_EQ(managers(changed), (std::vector<std::string>{"Update other", "Update test"}));
}

TEST_F(Compared, keeps_fields_unmanaged_until_an_apply) {
  apply_map("alice", "");
  const Answer patched = api.patch(kMap, kMerge, R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(managers(patched), std::vector<std::string>{});
  const Answer applied = apply_map("alice", R"(,"annotations":{"x":"y"})");
  EXPECT_EQ(managers(applied),
            (std::vector<std::string>{"Apply alice", "Update before-first-apply"}));
}

class AppliedOwnership : public Compared {
 protected:
  AppliedOwnership() : Compared(Ownership::of_applied) {}
};

TEST_F(AppliedOwnership, treats_unmanaged_object_as_older_than_apply) {
  EXPECT_EQ(managers(make_map()), std::vector<std::string>{});
  EXPECT_EQ(managers(api.patch(kMap, kMerge, R"({"metadata":{"labels":{"a":"b"}}})")),
            std::vector<std::string>{});
  EXPECT_EQ(managers(apply_map("alice", R"(,"annotations":{"x":"y"})")),
            (std::vector<std::string>{"Apply alice", "Update before-first-apply"}));
  EXPECT_EQ(managers(api.patch(std::string(kMap) + "?fieldManager=bob", kMerge,
                               R"({"metadata":{"labels":{"a":"c"}}})")),
            (std::vector<std::string>{"Apply alice", "Update before-first-apply", "Update bob"}));
}

TEST_F(Compared, rejects_version_that_is_no_number_even_for_creating_apply) {
  EXPECT_EQ(apply_map("alice", R"(,"resourceVersion":"abc")").status, 500);
  EXPECT_EQ(apply_map("alice", R"(,"resourceVersion":"7")").status, 201);
}

TEST_F(Compared, answers_not_found_for_status_of_missing_object) {
  EXPECT_EQ(api.patch(std::string(kPodStatus) + "?fieldManager=alice", kApply,
                      R"({"apiVersion":"v1","kind":"Pod","status":7})")
                .status,
            404);
}

TEST_F(Compared, warns_of_unknown_fields_in_refused_write) {
  const Answer refused = api.put(kMap, R"({"metadata":{"name":"m"},"nonsense":1})");
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(api.put(kMap, R"({"metadata":{"name":"m","namespace":"other"},"nonsense":1})")
                .header("Warning")
                .size(),
            1U);
  EXPECT_EQ(refused.header("Warning"),
            std::vector<std::string>{R"(299 - "unknown field \"nonsense\"")"});
}

TEST_F(Compared, takes_over_owner_as_a_whole) {
  constexpr std::string_view kOwner = R"({"apiVersion":"v1","kind":"Pod","name":"p","uid":"u")";
  make_map(R"("name":"m","ownerReferences":[)" + std::string(kOwner) + "}]");
  EXPECT_EQ(apply_map("alice",
                      R"(,"ownerReferences":[)" + std::string(kOwner) + R"(,"controller":true}])")
                .status,
            409);
}

TEST_F(Compared, resolves_apply_with_empty_metadata_to_namespaced_object) {
  const std::string path = "/api/v1/namespaces/default/configmaps/a?fieldManager=alice";
  ASSERT_EQ(api.patch(path, kApply,
                      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",)"
                      R"("labels":{"app":"a"}}})")
                .status,
            201);
  const Answer again =
      api.patch(path, kApply, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{}})");
  EXPECT_EQ(again.status, 200) << serialize(again.body);
  EXPECT_EQ(again.text({"metadata", "name"}), "a");
  EXPECT_FALSE(find(again.body, {"metadata", "labels"}));
}

TEST_F(Compared, conflicts_on_apply_with_uid_to_missing_object) {
  const Answer refused =
      api.patch("/api/v1/namespaces/default/configmaps/a?fieldManager=bob", kApply,
                R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",)"
                R"("namespace":"elsewhere","uid":"00000000-0000-4000-8000-000000000008"}})");
  EXPECT_EQ(refused.status, 409) << serialize(refused.body);
}

TEST_F(Compared, fails_at_unknown_operation_in_order) {
  api.post("/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"a"}})");
  const std::string path = "/api/v1/namespaces/default/configmaps/a?fieldValidation=";
  constexpr const char* kPatch = R"([{"op":7,"path":"/data"}])";
  EXPECT_EQ(api.patch(path + "Warn", kJsonPatch, kPatch).status, 400);
  EXPECT_EQ(api.patch(path + "Ignore", kJsonPatch, kPatch).status, 422);
}

TEST_F(Compared, resolves_apply_without_metadata_to_cluster_scoped_object) {
  const auto apply = [&](std::string_view metadata) {
    return api.patch(
        "/api/v1/nodes/n?fieldManager=alice", kApply,
        R"({"apiVersion":"v1","kind":"Node","metadata":)" + std::string(metadata) + "}");
  };
  const Answer made = apply(R"({"name":"n","labels":{"a":"b"}})");
  ASSERT_EQ(made.status, 201);
  const std::string version(made.resource_version());
  EXPECT_EQ(apply(R"({"finalizers":[]})").status, 400);
  EXPECT_EQ(api.patch("/api/v1/nodes/n?fieldManager=alice", kApply,
                      R"({"apiVersion":"v1","kind":"Node"})")
                .status,
            400);
  EXPECT_EQ(apply(R"({"resourceVersion":")" + version + R"("})").status, 200);
  EXPECT_EQ(apply(R"({"name":"n"})").status, 200);
  EXPECT_EQ(apply("{}").text({"metadata", "name"}), "n");
}

TEST_F(Compared, names_each_cause_once) {
  const Answer twice = make_map(R"("name":"m","finalizers":["x/!","x/!"])");
  EXPECT_EQ(array_at(twice.body, {"details", "causes"}).size(), 1);
  const Answer empty = make_map(R"("name":"m","finalizers":[""])");
  EXPECT_EQ(array_at(empty.body, {"details", "causes"}).size(), 3) << serialize(empty.body);
  EXPECT_TRUE(make_map(R"("name":"m","finalizers":["orphan","foregroundDeletion"])")
                  .blames("metadata.finalizers"));
}

TEST_F(Compared, counts_repeated_owner_once_and_warns) {
  constexpr std::string_view kOwners =
      R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"},)"
      R"({"kind":"Pod","apiVersion":"v1","name":"p","uid":"u"},)"
      R"({"apiVersion":"v1","kind":"Pod","name":"q","uid":"u"}])";
  const Answer made = make_map(R"("name":"m",)" + std::string(kOwners));
  EXPECT_EQ(array_at(made.body, {"metadata", "ownerReferences"}).size(), 2);
  make_map(R"("name":"n")");
  const Answer patched = api.patch("/api/v1/namespaces/default/configmaps/n", kMerge,
                                   R"({"metadata":{)" + std::string(kOwners) + "}}");
  EXPECT_EQ(array_at(patched.body, {"metadata", "ownerReferences"}).size(), 2);
}

TEST_F(Compared, assigns_repeated_items_to_manager_that_changes_their_number) {
  make_map(R"("name":"m","labels":{"a":"b"})");
  const auto write = [&](std::string_view manager, std::string_view list) {
    return managers(api.patch(std::string(kMap) + "?fieldManager=" + std::string(manager), kMerge,
                              R"({"metadata":{"finalizers":)" + std::string(list) + "}}"));
  };
  write("one", R"(["a/b"])");
  const auto two = write("two", R"(["a/b","a/b"])");
  EXPECT_EQ(two.back(), "Update two");
  const auto three = write("three", R"(["a/b","a/b","a/b"])");
  EXPECT_EQ(three.back(), "Update three");
  EXPECT_EQ(std::ranges::count(three, "Update two"), 0);
  EXPECT_EQ(std::ranges::count(write("four", R"(["a/b"])"), "Update three"), 0);
}

TEST_F(Compared, keeps_managers_of_repeated_items_across_versions) {
  make_claim();
  constexpr std::string_view kOld =
      "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims/shared";
  constexpr std::string_view kTwice = R"({"metadata":{"finalizers":["a/b","a/b"]}})";
  const Answer patched =
      api.patch(std::string(kOld) + "?fieldManager=late", kMerge, std::string(kTwice));
  EXPECT_EQ(patched.status, 200);
  EXPECT_EQ(managers(patched).size(), 1);
  EXPECT_EQ(api.patch(std::string(kOld) + "?fieldManager=late", kApply,
                      R"({"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceClaim",)"
                      R"("metadata":{"name":"shared"}})")
                .status,
            500);
}

TEST_F(Compared, shows_v1beta1_fields_in_refusals_by_declared_rules) {
  constexpr std::string_view kPath = "/apis/resource.k8s.io/v1beta1/";
  const Answer claim = api.post(
      std::string(kPath) + "namespaces/default/resourceclaims",
      R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"a","deviceClassName":"c",)"
      R"("tolerations":[{"key":"k","operator":"Bad"}]},{"name":"b","deviceClassName":"-"}]}}})");
  EXPECT_TRUE(claim.blames("spec.devices.requests[0].tolerations[0].operator"));
  EXPECT_TRUE(claim.blames("spec.devices.requests[1].exactly.deviceClassName"));
  const Answer slice = api.post(
      std::string(kPath) + "resourceslices",
      R"({"metadata":{"name":"s"},"spec":{"driver":"d","nodeName":"","allNodes":true,"pool":)"
      R"({"name":"p","resourceSliceCount":1},"devices":[{"name":"g","basic":{"attributes":)"
      R"({"x":{}}}}]}})");
  EXPECT_TRUE(slice.blames("spec.devices[0].basic.attributes[x]"));
  EXPECT_FALSE(slice.blames("spec.nodeName"));
}

TEST_F(Compared, expires_watch_from_before_server_start) {
  auto watch = api.watch("/api/v1/namespaces?watch=1&resourceVersion=1");
  const auto line = (*watch)->next();
  ASSERT_TRUE(line);
  EXPECT_TRUE(line->contains("Expired")) << *line;
}

TEST_F(Compared, checks_watch_labels_before_options_before_fields) {
  const std::string path = std::string(kMaps) + "?watch=1&sendInitialEvents=true";
  EXPECT_EQ(api.watch(path + "&labelSelector=a+b").error().status, 400);
  EXPECT_EQ(api.watch(path + "&fieldSelector=spec.none%3Dx").error().status, 422);
}

TEST_F(Compared, assigns_one_owner_to_driver_parameters) {
  make_claim();
  allocate();
  const Answer applied = api.patch(
      std::string(kClaimStatus) + "?fieldManager=driver", kApply,
      R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"shared"},)"
      R"("status":{"devices":[{"driver":"d","pool":"p","device":"gpu-0","data":{"speed":1}}]}})");
  const std::string text = serialize(Json(array_at(applied.body, {"metadata", "managedFields"})));
  EXPECT_TRUE(text.contains(R"("f:data":{})")) << text;
  const JsonObject& device = as_object(array_at(applied.body, {"status", "devices"}).front());
  EXPECT_TRUE(device.contains("conditions"));  // null
}

TEST_F(Compared, defaults_device_and_mode) {
  const Answer claim = api.post(
      kClaims, R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"a","exactly":)"
               R"({"deviceClassName":"c","allocationMode":"","count":0}}]}}})");
  const JsonObject& request =
      as_object(array_at(claim.body, {"spec", "devices", "requests"}).front());
  EXPECT_EQ(text_at(request, {"exactly", "allocationMode"}), "ExactCount");
  EXPECT_EQ(integer_at(request, {"exactly", "count"}), 1);
}

TEST_F(Compared, rejects_items_of_creating_apply_before_name_and_UID) {
  EXPECT_EQ(api.patch("/api/v1/namespaces/default/pods/p?fieldManager=bob", kApply,
                      R"({"apiVersion":"v1","kind":"Pod","metadata":{"uid":"u"},"spec":{)"
                      R"("containers":[],"resourceClaims":[{"name":"a"},{"name":"a"}]}})")
                .status,
            500);
}

TEST_F(Compared, keeps_generation_of_deleted_namespace) {
  api.post("/api/v1/namespaces", R"({"metadata":{"name":"n","generation":77}})");
  const Answer deleted = api.remove("/api/v1/namespaces/n");
  EXPECT_EQ(integer_at(deleted.body, {"metadata", "generation"}), 77) << serialize(deleted.body);
}

TEST_F(Compared, allows_narrowing_node_selection_of_gated_pod) {
  api.post(kPods, R"({"metadata":{"name":"trainer-0"},"spec":{"nodeSelector":{"disk":"ssd"},
      "schedulingGates":[{"name":"x.com/wait"}],"containers":[{"name":"c","image":"i"}]}})");
  const auto select = [&](std::string_view selector) {
    return api.patch(kPod, kMerge, R"({"spec":{"nodeSelector":)" + std::string(selector) + "}}");
  };
  EXPECT_EQ(select(R"({"zone":"a"})").status, 200);
  EXPECT_TRUE(select(R"({"disk":"hdd"})").blames("spec.nodeSelector"));
  api.patch(kPod, kMerge, R"({"spec":{"schedulingGates":null}})");
  EXPECT_TRUE(select(R"({"rack":"1"})").blames("spec"));
}

TEST_F(Compared, takes_first_address_as_address_of_pod) {
  make_pod();
  const Answer all = api.patch(kPodStatus, kMerge, R"({"status":{"podIPs":[{"ip":"10.0.0.1"}]}})");
  EXPECT_EQ(all.text({"status", "podIP"}), "10.0.0.1");
  const Answer one = api.patch(kPodStatus, kMerge, R"({"status":{"podIP":"10.0.0.2"}})");
  EXPECT_EQ(serialize(Json(array_at(one.body, {"status", "podIPs"}))), R"([{"ip":"10.0.0.2"}])");
}

TEST_F(Compared, requires_host_address_first_in_list) {
  make_pod();
  EXPECT_TRUE(api.patch(kPodStatus, kMerge, R"({"status":{"hostIPs":[{"ip":"10.0.0.1"}]}})")
                  .blames("status.hostIPs[0].ip"));
}

TEST_F(Compared, requires_device_names_in_slice) {
  const Answer refused = api.post("/apis/resource.k8s.io/v1/resourceslices",
                                  R"({"metadata":{"name":"s"},"spec":{"driver":"d","allNodes":true,
      "pool":{"name":"p","resourceSliceCount":1},"devices":[{}]}})");
  EXPECT_TRUE(refused.blames("spec.devices[0].name"));
}

TEST_F(Compared, requires_object_for_driver_parameters) {
  const auto config = [](std::string_view parameters) {
    return R"({"metadata":{"name":"gpu"},"spec":{"config":[{"opaque":{"driver":"d",
               "parameters":)" +
           std::string(parameters) + "}}]}}";
  };
  constexpr std::string_view kClasses = "/apis/resource.k8s.io/v1/deviceclasses";
  EXPECT_TRUE(api.post(kClasses, config(R"(["text"])")).blames("spec.config[0].opaque.parameters"));
  EXPECT_EQ(api.post(kClasses, config("{}")).status, 201);
}

TEST_F(Compared, removes_unowned_field_with_its_subtree) {
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

TEST_F(Compared, keeps_requests_managed_in_other_version) {
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

TEST_F(Compared, honours_managed_fields_of_put) {
  const Answer made = make_map(R"("name":"m","labels":{"a":"b"})");
  apply_map("alice", R"(,"annotations":{"x":"y"})");
  JsonObject stale = made.body;
  child(stale, "metadata").erase("resourceVersion");
  EXPECT_EQ(managers(api.put(kMap, serialize(stale))), std::vector<std::string>{"Update test"});
}

TEST_F(Compared, keeps_pages_at_their_starting_version) {
  const Answer first = make_map();
  make_map(R"("name":"n")");
  const Answer page = api.get(std::string(kMaps) +
                              "?limit=5&resourceVersion=" + std::string(first.resource_version()));
  EXPECT_EQ(array_at(page.body, {"items"}).size(), 1U);
}

TEST_F(Compared, counts_pods_of_node_into_pages_before_labels) {
  make_pod("node-a");
  api.post(kPods, R"({"metadata":{"name":"unlabelled"},"spec":{"nodeName":"node-a",
      "containers":[{"name":"c","image":"i"}]}})");
  const Answer page = api.get(std::string(kPods) +
                              "?limit=1&fieldSelector=spec.nodeName%3Dnode-a&labelSelector=app");
  EXPECT_TRUE(has(page.body, {"metadata", "continue"}));
}

TEST_F(Compared, counts_pods_of_all_nodes_into_pages_of_version) {
  api.post(kPods, R"({"metadata":{"name":"a"},"spec":{"nodeName":"node-a",
      "containers":[{"name":"c","image":"i"}]}})");
  const Answer last = api.post(
      kPods, R"({"metadata":{"name":"b"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  const std::string page = "?limit=1&fieldSelector=spec.nodeName%3Dnode-a";
  const std::string version = "&resourceVersion=" + std::string(last.resource_version());
  EXPECT_TRUE(has(api.get(std::string(kPods) + page + version).body, {"metadata", "continue"}));
  EXPECT_FALSE(has(api.get(std::string(kPods) + page).body, {"metadata", "continue"}));
}

TEST_F(Compared, ignores_pages_for_look_up_by_name_unless_continued) {
  make_map();
  make_map(R"("name":"n")");
  const Answer page = api.get(std::string(kMaps) + "?limit=1&fieldSelector=metadata.name%3Dm");
  EXPECT_EQ(array_at(page.body, {"items"}).size(), 1U);
  EXPECT_FALSE(has(page.body, {"metadata", "continue"}));
  make_map(R"("name":"o")");
  const Answer all = api.get(std::string(kMaps) + "?limit=1");
  const Answer next = api.get(std::string(kMaps) + "?limit=1&fieldSelector=metadata.name%3Dn" +
                              "&continue=" + std::string(all.text({"metadata", "continue"})));
  EXPECT_TRUE(has(next.body, {"metadata", "continue"}));
}

TEST_F(Compared, does_not_look_whether_taken_name_was_generated) {
  make_map();
  const Answer taken = make_map(R"("name":"m","generateName":"g-")");
  EXPECT_EQ(taken.status, 409);
  EXPECT_EQ(taken.text({"reason"}), "AlreadyExists");
  EXPECT_EQ(integer_at(taken.body, {"details", "retryAfterSeconds"}), 1);
}

TEST_F(Compared, rejects_event_as_owner) {
  const auto owned_by = [this](std::string_view version, std::string_view name) {
    return make_map(R"("name":")" + std::string(name) + R"(","ownerReferences":[{"apiVersion":")" +
                    std::string(version) + R"(","kind":"Event","name":"e","uid":"1"}])");
  };
  EXPECT_TRUE(owned_by("v1", "m").blames("metadata.ownerReferences[0]"));
  EXPECT_EQ(owned_by("events.k8s.io/v1", "n").status, 201);
}

TEST_F(Compared, limits_annotations_to_256_KiB) {
  const auto annotated = [this](std::string_view name, std::size_t bytes) {
    return make_map(R"("name":")" + std::string(name) + R"(","annotations":{"a":")" +
                    std::string(bytes - 1, 'x') + R"("})");
  };
  EXPECT_EQ(annotated("m", 262'144).status, 201);
  EXPECT_TRUE(annotated("n", 262'145).blames("metadata.annotations"));
}

TEST_F(Compared, keeps_data_of_immutable_map) {
  api.post(kMaps, R"({"metadata":{"name":"m"},"immutable":true,"data":{"a":"b"}})");
  EXPECT_TRUE(api.patch(kMap, kMerge, R"({"data":{"a":"c"}})").blames("data"));
}

}  // namespace
}  // namespace dcm::apiserver
