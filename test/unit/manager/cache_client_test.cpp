// Writes through a cache, which shows their results at once; with many orders of ready tasks.
#include "manager/cache_client.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>

#include "test/support/virtual_cluster.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using runtime::Task;
using workqueue::Outcome;
using Json = boost::json::object;

constexpr std::string_view kV1[] = {"v1"};
constexpr api::ResourceKind kMaps{"", "configmaps", "ConfigMap", api::Scope::namespaced, kV1};
constexpr api::ResourceKind kFoos{"example.com", "foos", "Foo", api::Scope::namespaced, kV1};
// Its CustomResourceDefinition has no status subresource.
constexpr api::ResourceKind kPlains{"example.com", "plains", "Plain", api::Scope::namespaced, kV1};
const std::string kFoosPath = "/apis/example.com/v1/namespaces/default/foos";
const std::string kMapsPath = "/api/v1/namespaces/default/configmaps";

struct Foo {
  api::ObjectMeta meta;
  std::vector<std::string> finalizers;
  std::vector<api::Condition> conditions;
  std::string keep;
};
struct Map {
  api::ObjectMeta meta;
};

// A controller implemented by a function of the test, which outlives the manager.
struct Calls {
  std::function<Task<Outcome>(api::NamespacedName)> handler;
  Task<Outcome> reconcile(api::NamespacedName name) { return handler(std::move(name)); }
};

class Client : public testing::TestWithParam<int> {
 protected:
  Client()
      : manager(cluster.manager()),
        foos(manager.cache<Foo>(kFoos,
                                {{"metadata.finalizers", &Foo::finalizers},
                                 {"status.conditions", &Foo::conditions},
                                 {"spec.keep", &Foo::keep}},
                                {.keep = [](const Foo& foo) { return foo.keep != "no"; }})),
        maps(manager.cache<Map>(kMaps)),
        plains(manager.cache<Map>(kPlains)) {}

  void handle(std::function<Task<Outcome>(api::NamespacedName)> handler,
              ControllerOptions options = {.workers = 4}) {
    list = &manager.controller("tested", options, Calls{std::move(handler)});
    manager.feed(*list, foos);
  }
  void make(const std::string& name, const std::string& more = "") {
    ASSERT_TRUE(
        cluster.api()
            .post(kFoosPath, R"({"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":")" +
                                 name + "\"}" + more + "}")
            .ok());
  }
  // Requests of the manager.
  std::ptrdiff_t count(std::string_view verb, std::string_view resource) {
    return std::ranges::count_if(cluster.server().log().all(), [&](const auto& request) {
      return request.verb == verb && request.resource == resource && request.user_agent != "test";
    });
  }
  void begin() {
    cluster.start();
    cluster.run_for(1min);
  }

  test::VirtualCluster cluster{
      {.served = {.custom = {{"example.com", "v1", "foos", "Foo"},
                             {"example.com", "v1", "plains", "Plain", apiserver::Scope::namespaced,
                              apiserver::StatusSubresource::none}}}},
      static_cast<std::uint64_t>(GetParam())};
  ControllerManager& manager;
  Cache<Foo>& foos;
  Cache<Map>& maps;
  Cache<Map>& plains;
  Worklist* list = nullptr;
};

TEST_P(Client, deletes_nothing_twice) {
  handle([this](api::NamespacedName name) -> Task<Outcome> {
    const auto foo = foos.get(name);
    if (!foo) co_return Outcome::done();
    const auto removed = co_await manager.client(foos).remove(foo->meta);
    co_return removed ? Outcome::requeue_after(1ms) : Outcome::retry();
  });
  make("a");
  make("b");
  begin();
  EXPECT_EQ(count("delete", "foos"), 2);
}

TEST_P(Client, adds_and_removes_finalizer_once) {
  handle([this](api::NamespacedName name) -> Task<Outcome> {
    const auto foo = foos.get(name);
    if (!foo) co_return Outcome::done();
    const auto client = manager.client(foos);
    if (foo->meta.is_being_deleted) {
      const auto removed = co_await client.remove_finalizer(*foo, "example.com/f");
      co_return removed ? Outcome::requeue_after(1ms) : Outcome::retry();
    }
    const auto added = co_await client.add_finalizer(*foo, "example.com/f");
    co_return added ? Outcome::done() : Outcome::retry();
  });
  make("a");
  begin();
  EXPECT_EQ(count("patch", "foos"), 1);
  cluster.api().remove(kFoosPath + "/a");
  cluster.run_for(1min);
  EXPECT_EQ(cluster.api().get(kFoosPath + "/a").status, 404);
  EXPECT_EQ(count("patch", "foos"), 2);
}

TEST_P(Client, creates_nothing_by_apply_to_deleted_object) {
  std::vector<std::string> reasons;
  handle([this, &reasons](api::NamespacedName name) -> Task<Outcome> {
    const auto foo = foos.get(name);
    if (!foo) co_return Outcome::done();
    cluster.api().remove(kFoosPath + "/" + name.name);
    const auto client = manager.client(foos);
    const Json fields{{"spec", {{"n", 1}}}};
    const auto applied = co_await client.apply_existing(foo->meta, fields);
    const auto merged = co_await client.merge_patch(foo->meta, fields);
    const auto status = co_await client.apply_status(foo->meta, {{"status", {{"n", 1}}}});
    for (const auto& answer : {applied, merged, status}) {
      reasons.push_back(answer ? "done"
                               : std::string(to_string(answer.error().reason)) +
                                     (runtime::is_object_gone(answer.error()) ? ": gone" : ""));
    }
    co_return Outcome::done();
  });
  make("a");
  begin();
  EXPECT_THAT(reasons, testing::ElementsAre("another_object: gone", "object_not_found: gone",
                                            "object_not_found: gone"));
  EXPECT_EQ(cluster.api().get(kFoosPath + "/a").status, 404);
}

TEST_P(Client, survives_write_that_leaves_cache) {
  handle([this](api::NamespacedName name) -> Task<Outcome> {
    const auto foo = foos.get(name);
    if (!foo) co_return Outcome::done();
    const auto written =
        co_await manager.client(foos).merge_patch(foo->meta, {{"spec", {{"keep", "no"}}}});
    co_return written ? Outcome::requeue_after(1ms) : Outcome::retry();
  });
  make("a");
  begin();
  EXPECT_EQ(count("patch", "foos"), 1);
}

TEST_P(Client, makes_created_objects_follow_owner) {
  handle([this](api::NamespacedName name) -> Task<Outcome> {
    const auto foo = foos.get(name);
    if (!foo) co_return Outcome::done();
    const auto written = co_await manager.client(maps).apply(
        name,
        {{"metadata", {{"ownerReferences", {controller_reference(foos.resource(), foo->meta)}}}},
         {"data", {{"k", "v"}}}});
    manager.report(foos, foo->meta, api::EventType::normal, "Made", "made its map");
    co_return written ? Outcome::done() : Outcome::retry();
  });
  make("a");
  begin();
  EXPECT_EQ(cluster.api().get(kMapsPath + "/a").text({"data", "k"}), "v");
  EXPECT_EQ(
      apiserver::array_at(
          cluster.api().get("/api/v1/namespaces/default/events?fieldSelector=reason=Made").body,
          {"items"})
          .size(),
      1U);
  cluster.api().remove(kFoosPath + "/a");
  cluster.run_for(1min);
  EXPECT_EQ(cluster.api().get(kMapsPath + "/a").status, 404);
}

TEST_P(Client, writes_and_reads_conditions) {
  handle([this](api::NamespacedName name) -> Task<Outcome> {
    const auto foo = foos.get(name);
    if (!foo) co_return Outcome::done();
    auto conditions = foo->conditions;
    if (!api::set_condition(conditions, {.type = "Ready", .status = "True", .reason = "Up"},
                            manager.time().wall_now())) {
      co_return Outcome::done();
    }
    const auto written = co_await manager.client(foos).apply_status(
        foo->meta, {{"status", {{"conditions", encode_conditions(conditions)}}}});
    co_return written ? Outcome::requeue_after(1s) : Outcome::retry();
  });
  make("a");
  begin();
  EXPECT_EQ(count("patch", "foos"), 1);
  EXPECT_NE(foos.get({"default", "a"}), nullptr);
  EXPECT_EQ(foos.get({"default", "a"})->conditions.at(0).reason, "Up");
}

TEST_P(Client, restricts_json_patch_to_that_object) {
  bool is_first = true;
  std::vector<std::string> done;
  const auto note = [&done](const auto& answer) {
    done.push_back(answer ? "done" : std::string(to_string(answer.error().reason)));
  };
  handle([&](api::NamespacedName name) -> Task<Outcome> {
    const auto foo = foos.get(name);
    if (!foo || !std::exchange(is_first, false)) co_return Outcome::done();
    const auto client = manager.client(foos);
    const boost::json::array set{{{"op", "add"}, {"path", "/spec"}, {"value", {{"keep", "x"}}}}};
    const auto first = co_await client.json_patch(foo->meta, set);
    note(first);
    const boost::json::array test{{{"op", "test"}, {"path", "/spec/keep"}, {"value", "y"}}};
    const auto tested = co_await client.json_patch(foo->meta, test);
    note(tested);
    api::ObjectMeta another = foo->meta;
    another.uid = api::Uid("another");
    const auto replaced = co_await client.json_patch(another, set);
    note(replaced);
    co_return Outcome::done();
  });
  make("a");
  begin();
  EXPECT_THAT(done, testing::ElementsAre("done", "invalid", "another_object"));
  EXPECT_EQ(foos.get({"default", "a"})->keep, "x");
}

// Controllers of one program that apply different fields of one object.
struct Applies {
  ControllerManager& manager;
  Cache<Map>& maps;
  std::string own;
  std::string field_manager = {};
  Task<Outcome> reconcile(api::NamespacedName name) {
    const auto client =
        field_manager.empty() ? manager.client(maps) : manager.client(maps, field_manager);
    const auto written = co_await client.apply(name, {{"data", {{own, "x"}}}});
    co_return manager.done_or_retry(name, written);
  }
};

TEST_P(Client, keeps_fields_of_other_controllers) {
  for (const char* own : {"a", "b"}) {
    auto& list = manager.controller(own, {}, Applies{manager, maps, own, own});
    manager.feed(list, foos);
    manager.feed(list, maps);
  }
  make("foo");
  begin();
  const auto map = cluster.api().get(kMapsPath + "/foo");
  EXPECT_EQ(map.text({"data", "a"}), "x");
  EXPECT_EQ(map.text({"data", "b"}), "x");
  EXPECT_LT(count("patch", "configmaps"), 10);
}

TEST_P(Client, refuses_apply_of_two_controllers_in_one_name) {
  const auto early = manager.client(maps);
  for (const char* own : {"a", "b"}) {
    manager.feed(manager.controller(own, {}, Applies{manager, maps, own}), foos);
  }
  make("foo");
  begin();
  EXPECT_EQ(count("patch", "configmaps"), 0);
  EXPECT_NE(cluster.log().find("name the field manager of this one"), std::string::npos);
  EXPECT_THROW((void)early.apply({"default", "foo"}, {}), std::logic_error);
}

TEST_P(Client, refuses_metadata_that_is_no_object) {
  EXPECT_THROW(
      (void)manager.client(maps).apply({"default", "a"}, {{"metadata", {"labels", {{"a", "b"}}}}}),
      std::logic_error);
}

TEST_P(Client, gives_its_options_to_each_call) {
  std::vector<bool> answers;
  handle([&](api::NamespacedName name) -> Task<Outcome> {
    const auto late =
        manager.client(maps).with({.deadline = runtime::Deadline(runtime::MonoTime())});
    const auto applied = co_await late.apply(name, {{"data", {{"k", "v"}}}});
    const auto read = co_await late.get(name);
    for (const auto& answer : {applied, read}) answers.push_back(answer.has_value());
    co_return Outcome::done();
  });
  make("a");
  begin();
  EXPECT_THAT(answers, testing::ElementsAre(false, false));
}

// Objects of a kind whose member exists, but has no row in the declaration.
class Unread : public testing::Test {
 protected:
  // What the exception says; empty if there is none.
  template <class Call>
  static std::string refusal(Call call) {
    try {
      call();
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return {};
  }
  static std::string without(const std::string& path, const std::string& member) {
    return "the cache \"foos\" does not read " + path + " into `" + member + "`: add the row {\"" +
           path + "\", &T::" + member + "} to its fields";
  }

  struct Owned {
    api::ObjectMeta meta;
    std::int64_t generation = 0;
    std::optional<api::ControllerRef> owner;
  };
  test::VirtualCluster cluster;
  ControllerManager& manager = cluster.manager();
};

TEST_F(Unread, finalizers_are_not_written) {
  auto& foos = manager.cache<Foo>(kFoos, {{"spec.keep", &Foo::keep}});
  const auto client = manager.client(foos);
  const std::string why = without("metadata.finalizers", "finalizers");
  EXPECT_EQ(refusal([&] { (void)client.add_finalizer({}, "example.com/f"); }), why);
  EXPECT_EQ(refusal([&] { (void)client.remove_finalizer({}, "example.com/f"); }), why);
}

TEST_F(Unread, conditions_are_not_written) {
  auto& foos = manager.cache<Foo>(kFoos, {{"spec.keep", &Foo::keep}});
  const auto client = manager.client(foos);
  api::ObjectMeta one;
  one.key = {"default", "a"};
  const std::string why = without("status.conditions", "conditions");
  const Json fields{{"status", {{"conditions", boost::json::array()}}}};
  EXPECT_EQ(refusal([&] { (void)client.apply_status({}, fields); }), why);
  EXPECT_EQ(refusal([&] { (void)client.merge_patch({}, fields, "status"); }), why);
  EXPECT_EQ(refusal([&] { (void)client.apply_status(one, {{"status", {{"n", 1}}}}); }), "");
}

TEST_F(Unread, owner_and_generation_feed_nothing) {
  auto& foos = manager.cache<Owned>(kFoos);
  auto& list = manager.controller("tested", {}, Calls{});
  EXPECT_EQ(refusal([&] { manager.owns(list, foos, kFoos); }),
            without("metadata.ownerReferences", "owner"));
  EXPECT_EQ(refusal([&] { foos.index<api::NamespacedName>("by_owner", OwnerName(kFoos)); }),
            without("metadata.ownerReferences", "owner"));
  EXPECT_EQ(refusal([&] { manager.feed(list, foos, own_name, generation_changed); }),
            without("metadata.generation", "generation"));
}

// A worker that waits for one bad object would be unavailable to all good ones.
TEST_P(Client, isolates_objects_that_server_rejects) {
  handle([this](api::NamespacedName name) -> Task<Outcome> {
    const auto written = co_await manager.client(maps).apply(name, {{"data", {{"k", "v"}}}});
    co_return written ? Outcome::done() : Outcome::retry();
  });
  for (int i = 0; i < 8; ++i) make("bad-" + std::to_string(i));
  begin();
  cluster.server().before([](const apiserver::LoggedRequest& request) {
    std::optional<apiserver::Response> refusal;
    if (request.resource == "configmaps" && request.name.starts_with("bad-")) {
      refusal = apiserver::Response{.status = 503, .body = "{}"};
    }
    return refusal;
  });
  for (int i = 0; i < 8; ++i) {
    cluster.api().patch(kFoosPath + "/bad-" + std::to_string(i), apiserver::kMerge,
                        R"({"spec":{"n":1}})");
  }
  cluster.run_for(100ms);
  make("good");
  cluster.run_for(1s);
  EXPECT_EQ(cluster.api().get(kMapsPath + "/good").status, 200);
}

TEST_P(Client, uses_backoff_of_controller) {
  int attempts = 0;
  handle(
      [&](api::NamespacedName) -> Task<Outcome> {
        ++attempts;
        co_return Outcome::retry();
      },
      {.workers = 1, .backoff = {.first = 10s, .most = 20s}});
  make("a");
  begin();
  EXPECT_EQ(attempts, 4) << "at 0, 10, 30 and 50 s";
}

TEST_P(Client, retries_in_silence_what_the_watch_explains) {
  using runtime::Reason;
  const auto retries_after = [&](Reason reason) {
    const runtime::Result<> written = runtime::fail(reason, "why");
    return manager.done_or_retry({"default", "a"}, written) == Outcome::retry();
  };
  for (const Reason reason : {Reason::conflict, Reason::object_not_found, Reason::another_object}) {
    EXPECT_TRUE(retries_after(reason)) << runtime::to_string(reason);
  }
  EXPECT_EQ(cluster.log().find("A write failed"), std::string::npos);
  EXPECT_TRUE(retries_after(Reason::forbidden));
  EXPECT_NE(cluster.log().find("A write failed"), std::string::npos);
}

// The answer is that of an object that is gone.
TEST_P(Client, warns_of_status_that_kind_does_not_have) {
  std::vector<std::string> reasons;
  handle([this, &reasons](api::NamespacedName name) -> Task<Outcome> {
    const auto plain = plains.get(name);
    if (!plain) co_return Outcome::done();
    const auto client = manager.client(plains);
    const Json fields{{"status", {{"n", 1}}}};
    const boost::json::array operations{{{"op", "add"}, {"path", "/status"}, {"value", "x"}}};
    const auto applied = co_await client.apply_status(plain->meta, fields);
    const auto merged = co_await client.merge_patch(plain->meta, fields, "status");
    const auto patched = co_await client.json_patch(plain->meta, operations, "status");
    for (const auto& answer : {applied, merged, patched}) {
      reasons.push_back(answer ? "done" : runtime::to_string(answer.error()));
    }
    co_return manager.done_or_retry(name, applied);
  });
  manager.feed(*list, plains);
  ASSERT_TRUE(cluster.api()
                  .post("/apis/example.com/v1/namespaces/default/plains",
                        R"({"apiVersion":"example.com/v1","kind":"Plain",)"
                        R"("metadata":{"name":"a"}})")
                  .ok());
  cluster.start();
  cluster.run_for(1s);
  ASSERT_GE(reasons.size(), 3U);
  for (const std::string& reason : reasons) {
    EXPECT_EQ(reason,
              "not_served: plains.example.com \"a\" not found; the object exists, so does the "
              "CustomResourceDefinition of plains have `status` in its `subresources`?");
  }
  EXPECT_NE(cluster.log().find("A write failed; retrying"), std::string::npos);
}

TEST_P(Client, warns_of_namespace_that_does_not_exist) {
  std::vector<std::string> reasons;
  handle([this, &reasons](api::NamespacedName name) -> Task<Outcome> {
    const auto client = manager.client(maps);
    const auto applied = co_await client.apply({"nowhere", "a"}, {{"data", {{"k", "v"}}}});
    const auto created = co_await client.create({"nowhere", "a"}, {{"data", {{"k", "v"}}}});
    for (const auto& answer : {applied, created}) {
      reasons.push_back(answer ? "done" : runtime::to_string(answer.error()));
    }
    co_return manager.done_or_retry(name, applied);
  });
  make("a");
  cluster.start();
  cluster.run_for(1s);
  ASSERT_GE(reasons.size(), 2U);
  for (const std::string& reason : reasons) {
    EXPECT_EQ(reason,
              "not_served: namespaces \"nowhere\" not found; does the namespace nowhere exist?");
  }
  EXPECT_NE(cluster.log().find("A write failed; retrying"), std::string::npos);
}

TEST_P(Client, applies_nothing_but_status_to_status) {
  const auto why = [this](const Json& fields) -> std::string {
    try {
      (void)manager.client(foos).apply_status({}, fields);
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(why({{"conditions", boost::json::array()}}),
            "apply_status takes {\"status\": …}, and no \"conditions\" beside it");
  EXPECT_NE(why({{"status", {{"n", 1}}}, {"metadata", {{"labels", {{"a", "b"}}}}}}), "");
}

struct Counts {
  int* runs;
  Task<> run() {
    ++*runs;
    co_return;
  }
};

TEST_P(Client, runs_jobs_on_chosen_instances) {
  ASSERT_TRUE(cluster.api()
                  .post("/apis/coordination.k8s.io/v1/namespaces/default/leases",
                        R"({"metadata":{"name":"tested"},"spec":{"holderIdentity":"another",)"
                        R"("leaseDurationSeconds":3600,)"
                        R"("renewTime":"2024-10-04T00:00:00.000000Z"}})")
                  .ok());
  int everywhere = 0;
  int leading = 0;
  int once = 0;
  manager.periodic_job("everywhere", RunsOn::every_instance, 10s, Counts{&everywhere});
  manager.periodic_job("leading", RunsOn::leader, 10s, Counts{&leading});
  manager.job("once", RunsOn::every_instance, Counts{&once});
  begin();
  EXPECT_EQ(std::tuple(everywhere, leading, once), std::tuple(7, 0, 1));
  manager.request_stop();
  cluster.run_for(1min);
  EXPECT_LE(everywhere, 8) << "a stop ends them";
}

struct EarlyLookUp {
  CacheClient<Map> maps;
  std::optional<runtime::Reason>* reason;
  Task<> run() {
    const auto found = co_await maps.get({"default", "a"});
    if (!found) *reason = found.error().reason;
  }
};

TEST_P(Client, has_no_version_at_the_start) {
  std::optional<runtime::Reason> reason;
  manager.job("early", RunsOn::every_instance, EarlyLookUp{manager.client(maps), &reason});
  begin();
  EXPECT_EQ(reason, runtime::Reason::not_served);
}

INSTANTIATE_TEST_SUITE_P(Orders, Client, testing::Range(1, 21));

}  // namespace
}  // namespace dcm::manager
