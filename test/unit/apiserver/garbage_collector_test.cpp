#include "apiserver/front/garbage_collector.hpp"

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::apiserver {
namespace {

using namespace std::chrono_literals;

const std::string kMaps = "/api/v1/namespaces/default/configmaps/";
const std::string kSecrets = "/api/v1/namespaces/default/secrets/";
const std::string kAdmission = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic";
const std::string kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string kWidgets = "/apis/example.com/v1/namespaces/default/widgets/";
const std::string kNewWidgets = "/apis/example.com/v2/namespaces/default/widgets/";

const std::string kBlocks = R"(,"blockOwnerDeletion":true)";

// A config map "owner" with secrets that it owns.
struct Family {
  explicit Family(runtime::VirtualLoop& virtual_loop)
      : loop(virtual_loop),
        server(loop.time(), runtime::Rng(1)),
        collector(server, loop.time()),
        api(server),
        group(loop.executor()) {
    group.spawn("collector", collector.run());
    owner = make("configmaps", "owner", "");
  }

  std::string make(const std::string& resource, const std::string& name, const std::string& more) {
    const Answer made = api.post("/api/v1/namespaces/default/" + resource,
                                 R"({"metadata":{"name":")" + name + "\"" + more + "}}");
    EXPECT_EQ(made.status, 201) << serialize(made.body);
    return std::string(made.text({"metadata", "uid"}));
  }
  // A reference to a config map.
  static std::string ref(const std::string& uid, const std::string& more = "",
                         const std::string& name = "owner") {
    return ref_to("v1", "ConfigMap", name, uid, more);
  }
  static std::string ref_to(const std::string& api_version, const std::string& kind,
                            const std::string& name, const std::string& uid,
                            const std::string& more = "") {
    return R"({"apiVersion":")" + api_version + R"(","kind":")" + kind + R"(","name":")" + name +
           R"(","uid":")" + uid + "\"" + more + "}";
  }
  std::string make_owned(const std::string& name, const std::string& refs,
                         const std::string& more = "") {
    return make("secrets", name, R"(,"ownerReferences":[)" + refs + "]" + more);
  }
  void remove_owner(const std::string& policy) {
    api.remove(kMaps + "owner", R"({"propagationPolicy":")" + policy + "\"}");
  }
  std::size_t owners_of(const std::string& path) {
    return array_at(api.get(path).body, {"metadata", "ownerReferences"}).size();
  }
  // Denies an operation on a resource of the core group, until allow().
  void deny(const std::string& resource, const std::string& operation) {
    api.post(kAdmission + "ies",
             R"({"metadata":{"name":"no"},"spec":{"matchConstraints":{"resourceRules":[)"
             R"({"apiGroups":[""],"apiVersions":["v1"],"operations":[")" +
                 operation + R"("],"resources":[")" + resource +
                 R"("]}]},"validations":[{"expression":"false"}]}})");
    const Answer bound = api.post(
        kAdmission + "ybindings",
        R"({"metadata":{"name":"no"},"spec":{"policyName":"no","validationActions":["Deny"]}})");
    EXPECT_EQ(bound.status, 201) << serialize(bound.body);
  }
  void allow() {
    api.remove(kAdmission + "ybindings/no");
    api.remove(kAdmission + "ies/no");
  }
  // Defines widgets, or changes which of their versions is served.
  void serve_widgets(const std::string& version) {
    const auto shown = [&](const std::string& name, const std::string& is_stored) {
      return R"({"name":")" + name + R"(","served":)" + (name == version ? "true" : "false") +
             R"(,"storage":)" + is_stored + R"(,"schema":{"openAPIV3Schema":{"type":"object"}}})";
    };
    const std::string definition =
        R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com",)"
        R"("scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},"versions":[)" +
        shown("v1", "true") + "," + shown("v2", "false") + "]}}";
    api.post(kDefinitions, definition);
    const Answer served = api.patch(kDefinitions + "/widgets.example.com", kMerge, definition);
    EXPECT_EQ(served.status, 200) << serialize(served.body);
  }
  int status(const std::string& path) { return api.get(path).status; }
  runtime::Task<> settle() { return runtime::sleep_for(loop.time(), 100ms); }
  runtime::Task<> stop() {
    group.cancel();
    return group.join();
  }

  runtime::VirtualLoop& loop;
  Server server;
  GarbageCollector collector;
  Direct api;
  runtime::TaskGroup group;
  std::string owner;
};

CO_TEST(GarbageCollector, recognizes_objects_created_by_server_as_owners) {
  Family family(loop);
  for (const std::string path :
       {"/api/v1/namespaces/default",
        "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical"}) {
    const Answer owner = family.api.get(path);
    family.make_owned("child", Family::ref_to(std::string(owner.text({"apiVersion"})),
                                              std::string(owner.text({"kind"})),
                                              std::string(owner.name()), std::string(owner.uid())));
    co_await family.settle();
    EXPECT_EQ(family.status(kSecrets + "child"), 200) << path;
    family.api.remove(kSecrets + "child");
  }
  co_await family.stop();
}

CO_TEST(GarbageCollector, deletes_dependents_after_owner) {
  Family family(loop);
  family.make_owned("child", Family::ref(family.owner));
  family.make("secrets", "free", "");
  co_await family.settle();
  EXPECT_EQ(family.status(kSecrets + "child"), 200);
  family.remove_owner("Background");
  co_await family.settle();
  EXPECT_EQ(family.status(kMaps + "owner"), 404);
  EXPECT_EQ(family.status(kSecrets + "child"), 404);
  EXPECT_EQ(family.status(kSecrets + "free"), 200);
  co_await family.stop();
}

CO_TEST(GarbageCollector, deletes_object_whose_owner_never_existed) {
  Family family(loop);
  family.make_owned("child", Family::ref("5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11"));
  co_await family.settle();
  EXPECT_EQ(family.status(kSecrets + "child"), 404);
  co_await family.stop();
}

CO_TEST(GarbageCollector, keeps_object_with_one_remaining_owner) {
  Family family(loop);
  const std::string other = family.make("configmaps", "other", "");
  family.make_owned("child", Family::ref(family.owner) + "," + Family::ref(other, "", "other"));
  family.remove_owner("Background");
  co_await family.settle();
  EXPECT_EQ(family.status(kSecrets + "child"), 200);
  family.api.remove(kMaps + "other");
  co_await family.settle();
  EXPECT_EQ(family.status(kSecrets + "child"), 404);
  co_await family.stop();
}

CO_TEST(GarbageCollector, keeps_orphans_without_owner) {
  Family family(loop);
  family.make_owned("child", Family::ref(family.owner));
  family.remove_owner("Orphan");
  co_await family.settle();
  EXPECT_EQ(family.status(kMaps + "owner"), 404);
  EXPECT_EQ(family.status(kSecrets + "child"), 200);
  EXPECT_EQ(family.owners_of(kSecrets + "child"), 0U);
  co_await family.stop();
}

CO_TEST(GarbageCollector, waits_for_blocking_dependents_in_foreground) {
  Family family(loop);
  family.make_owned("slow", Family::ref(family.owner, kBlocks),
                    R"(,"finalizers":["example.com/mine"])");
  family.make_owned("other", Family::ref(family.owner), R"(,"finalizers":["example.com/mine"])");
  family.remove_owner("Foreground");
  co_await family.settle();
  EXPECT_EQ(family.status(kMaps + "owner"), 200);
  EXPECT_NE(family.api.get(kSecrets + "other").text({"metadata", "deletionTimestamp"}), "");
  family.api.patch(kSecrets + "slow", kMerge, R"({"metadata":{"finalizers":null}})");
  co_await family.settle();
  EXPECT_EQ(family.status(kSecrets + "slow"), 404);
  EXPECT_EQ(family.status(kMaps + "owner"), 404);
  EXPECT_EQ(family.status(kSecrets + "other"), 200);
  co_await family.stop();
}

CO_TEST(GarbageCollector, deletes_grandchildren_first_in_foreground) {
  Family family(loop);
  const std::string child = family.make_owned("child", Family::ref(family.owner, kBlocks));
  family.make_owned("grandchild", Family::ref_to("v1", "Secret", "child", child, kBlocks),
                    R"(,"finalizers":["example.com/mine"])");
  family.remove_owner("Foreground");
  co_await family.settle();
  EXPECT_EQ(family.status(kSecrets + "child"), 200);
  family.api.patch(kSecrets + "grandchild", kMerge, R"({"metadata":{"finalizers":null}})");
  co_await family.settle();
  EXPECT_EQ(family.status(kSecrets + "child"), 404);
  EXPECT_EQ(family.status(kMaps + "owner"), 404);
  co_await family.stop();
}

CO_TEST(GarbageCollector, removes_reference_to_deleted_owner_beside_another) {
  for (const auto* propagation : {"Foreground", "Background"}) {
    Family family(loop);
    const std::string other = family.make("configmaps", "other", "");
    family.make_owned("child", Family::ref(family.owner) + "," + Family::ref(other, "", "other"));
    family.remove_owner(propagation);
    co_await family.settle();
    EXPECT_EQ(family.status(kMaps + "owner"), 404) << propagation;
    EXPECT_EQ(family.status(kSecrets + "child"), 200) << propagation;
    EXPECT_EQ(family.owners_of(kSecrets + "child"), 1U) << propagation;
    co_await family.stop();
  }
}

CO_TEST(GarbageCollector, deletes_object_whose_owner_has_another_name_or_kind) {
  Family family(loop);
  for (const auto* kind : {"ConfigMap", "Secret"}) {
    family.make_owned("child", Family::ref_to("v1", kind, "other", family.owner));
    co_await family.settle();
    EXPECT_EQ(family.status(kSecrets + "child"), 404) << kind;
  }
  family.make_owned("child", Family::ref_to("v1", "Secret", "owner", family.owner));
  co_await family.settle();
  EXPECT_EQ(family.status(kSecrets + "child"), 404);
  co_await family.stop();
}

CO_TEST(GarbageCollector, deletes_object_whose_owner_is_in_another_namespace) {
  Family family(loop);
  family.api.post(
      "/api/v1/namespaces/kube-public/secrets",
      R"({"metadata":{"name":"child","ownerReferences":[)" + Family::ref(family.owner) + "]}}");
  co_await family.settle();
  EXPECT_EQ(family.status("/api/v1/namespaces/kube-public/secrets/child"), 404);
  co_await family.stop();
}

CO_TEST(GarbageCollector, keeps_cluster_scoped_object_of_namespaced_owner) {
  Family family(loop);
  family.api.post("/api/v1/nodes", R"({"metadata":{"name":"child","ownerReferences":[)" +
                                       Family::ref(family.owner) + "]}}");
  family.remove_owner("Background");
  co_await family.settle();
  EXPECT_EQ(family.status(kMaps + "owner"), 404);
  EXPECT_EQ(family.status("/api/v1/nodes/child"), 200);
  co_await family.stop();
}

CO_TEST(GarbageCollector, keeps_object_whose_owner_is_of_unknown_kind) {
  Family family(loop);
  const std::string nobody = "5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11";
  family.make_owned("child", Family::ref_to("example.com/v1", "Widget", "owner", nobody));
  co_await family.settle();
  EXPECT_EQ(family.status(kSecrets + "child"), 200);
  family.serve_widgets("v1");
  co_await runtime::sleep_for(loop.time(), 2min);
  EXPECT_EQ(family.status(kSecrets + "child"), 404);
  co_await family.stop();
}

CO_TEST(GarbageCollector, deletes_dependents_after_owner_whose_definition_is_deleted) {
  Family family(loop);
  family.serve_widgets("v1");
  const Answer owner = family.api.post(
      kWidgets, R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"owner"}})");
  family.make_owned("child",
                    Family::ref_to("example.com/v1", "Widget", "owner", std::string(owner.uid())));
  co_await family.settle();
  EXPECT_EQ(family.status(kSecrets + "child"), 200);
  family.api.remove(kDefinitions + "/widgets.example.com");
  co_await family.settle();
  EXPECT_EQ(family.status(kSecrets + "child"), 404);
  co_await family.stop();
}

CO_TEST(GarbageCollector, deletes_circular_owners_in_foreground) {
  Family family(loop);
  const std::string child = family.make_owned("child", Family::ref(family.owner, kBlocks));
  family.api.patch(kMaps + "owner", kMerge,
                   R"({"metadata":{"ownerReferences":[)" +
                       Family::ref_to("v1", "Secret", "child", child, kBlocks) + "]}}");
  family.remove_owner("Foreground");
  co_await family.settle();
  EXPECT_EQ(family.status(kMaps + "owner"), 404);
  EXPECT_EQ(family.status(kSecrets + "child"), 404);
  co_await family.stop();
}

CO_TEST(GarbageCollector, tries_denied_writes_again) {
  struct Row {
    const char* resource;
    const char* operation;
    const char* propagation;
    int child;  // its status in the end
  };
  for (const Row& row :
       {Row{"secrets", "DELETE", "Background", 404}, Row{"secrets", "DELETE", "Foreground", 404},
        Row{"secrets", "UPDATE", "Orphan", 200}, Row{"configmaps", "UPDATE", "Foreground", 404}}) {
    SCOPED_TRACE(std::string(row.operation) + " " + row.resource + " " + row.propagation);
    Family family(loop);
    family.make_owned("child", Family::ref(family.owner, kBlocks));
    co_await family.settle();
    family.deny(row.resource, row.operation);
    family.remove_owner(row.propagation);
    co_await family.settle();
    EXPECT_TRUE(family.status(kMaps + "owner") == 200 || family.status(kSecrets + "child") == 200);
    family.allow();
    co_await runtime::sleep_for(loop.time(), 2min);
    EXPECT_EQ(family.status(kMaps + "owner"), 404);
    EXPECT_EQ(family.status(kSecrets + "child"), row.child);
    co_await family.stop();
  }
}

CO_TEST(GarbageCollector, waits_longer_after_each_denied_write) {
  Family family(loop);
  family.make_owned("child", Family::ref(family.owner));
  family.deny("secrets", "DELETE");
  family.remove_owner("Background");
  co_await runtime::sleep_for(loop.time(), 10min);
  EXPECT_LT(family.server.log().count("delete", "secrets"), 30U);
  family.allow();
  co_await runtime::sleep_for(loop.time(), 2min);
  family.server.log().clear();
  co_await runtime::sleep_for(loop.time(), 1h);
  EXPECT_TRUE(family.server.log().all().empty());
  co_await family.stop();
}

CO_TEST(GarbageCollector, deletes_dependent_that_is_served_in_another_version_by_now) {
  Family family(loop);
  family.serve_widgets("v1");
  const Answer made = family.api.post(
      kWidgets, R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"child",)"
                R"("ownerReferences":[)" +
                    Family::ref(family.owner) + "]}}");
  EXPECT_EQ(made.status, 201) << serialize(made.body);
  family.serve_widgets("v2");
  EXPECT_EQ(family.status(kNewWidgets + "child"), 200);
  family.remove_owner("Background");
  co_await family.settle();
  EXPECT_EQ(family.status(kNewWidgets + "child"), 404);
  co_await family.stop();
}

CO_TEST(GarbageCollector, deletes_dependent_once_its_kind_is_served_again) {
  Family family(loop);
  const std::string claim = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/child";
  family.api.post(
      "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
      R"({"metadata":{"name":"child","ownerReferences":[)" + Family::ref(family.owner) + "]}}");
  family.server.serve({.resource = {}});
  family.remove_owner("Background");
  co_await family.settle();
  family.server.serve({});
  EXPECT_EQ(family.status(claim), 200);
  co_await runtime::sleep_for(loop.time(), 2min);
  EXPECT_EQ(family.status(claim), 404);
  co_await family.stop();
}

CO_TEST(GarbageCollector, recognizes_owner_that_is_served_in_another_version_by_now) {
  Family family(loop);
  family.serve_widgets("v1");
  const Answer owner = family.api.post(
      kWidgets, R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"owner"}})");
  family.make_owned("child",
                    Family::ref_to("example.com/v1", "Widget", "owner", std::string(owner.uid())));
  family.serve_widgets("v2");
  family.api.patch(kSecrets + "child", kMerge, R"({"metadata":{"labels":{"a":"b"}}})");
  co_await family.settle();
  EXPECT_EQ(family.status(kSecrets + "child"), 200);
  family.api.remove(kNewWidgets + "owner");
  co_await family.settle();
  EXPECT_EQ(family.status(kSecrets + "child"), 404);
  co_await family.stop();
}

}  // namespace
}  // namespace dcm::apiserver
