#include "apiserver/front/garbage_collector.hpp"

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::apiserver {
namespace {

using namespace std::chrono_literals;

const std::string kMaps = "/api/v1/namespaces/default/configmaps/";
const std::string kSecrets = "/api/v1/namespaces/default/secrets/";

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
  static std::string ref(const std::string& uid, const std::string& more = "") {
    return R"({"apiVersion":"v1","kind":"ConfigMap","name":"x","uid":")" + uid + "\"" + more + "}";
  }
  std::string make_owned(const std::string& name, const std::string& refs,
                         const std::string& more = "") {
    return make("secrets", name, R"(,"ownerReferences":[)" + refs + "]" + more);
  }
  void remove_owner(const std::string& policy) {
    api.remove(kMaps + "owner", R"({"propagationPolicy":")" + policy + "\"}");
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
    const std::string uid(family.api.get(path).text({"metadata", "uid"}));
    family.make_owned("child", Family::ref(uid));
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
  family.make_owned("child", Family::ref(family.owner) + "," + Family::ref(other));
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
  const Answer child = family.api.get(kSecrets + "child");
  EXPECT_EQ(child.status, 200);
  EXPECT_TRUE(array_at(child.body, {"metadata", "ownerReferences"}).empty());
  co_await family.stop();
}

CO_TEST(GarbageCollector, waits_for_blocking_dependents_in_foreground) {
  Family family(loop);
  family.make_owned("slow", Family::ref(family.owner, R"(,"blockOwnerDeletion":true)"),
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
  const std::string child =
      family.make_owned("child", Family::ref(family.owner, R"(,"blockOwnerDeletion":true)"));
  family.make_owned("grandchild", Family::ref(child, R"(,"blockOwnerDeletion":true)"),
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

CO_TEST(GarbageCollector, keeps_object_with_another_owner_in_foreground) {
  Family family(loop);
  const std::string other = family.make("configmaps", "other", "");
  family.make_owned("child", Family::ref(family.owner) + "," + Family::ref(other));
  family.remove_owner("Foreground");
  co_await family.settle();
  EXPECT_EQ(family.status(kMaps + "owner"), 404);
  EXPECT_EQ(
      array_at(family.api.get(kSecrets + "child").body, {"metadata", "ownerReferences"}).size(),
      1U);
  co_await family.stop();
}

}  // namespace
}  // namespace dcm::apiserver
