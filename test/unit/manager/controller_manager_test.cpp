// The lifecycle of a program of controllers: its order of start and stop, and what it waits for.
#include "manager/controller_manager.hpp"

#include <gtest/gtest.h>

#include "client/api/json/unstructured.hpp"
#include "test/support/virtual_cluster.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using runtime::Task;
using workqueue::Outcome;

constexpr std::string_view kV1[] = {"v1"};
constexpr api::ResourceKind kMaps{"", "configmaps", "ConfigMap", api::Scope::namespaced, kV1};
constexpr std::string_view kNewAndOld[] = {"v2", "v1"};
constexpr api::ResourceKind kMoving{"example.com", "movings", "Moving", api::Scope::namespaced,
                                    kNewAndOld};
constexpr api::ResourceKind kFoos{"example.com", "foos", "Foo", api::Scope::namespaced, kV1};

struct Object {
  api::ObjectMeta meta;
};

// Calls a function of the test, which outlives the manager.
struct Calls {
  Handler handler;
  Task<Outcome> reconcile(api::NamespacedName name) { return handler(std::move(name)); }
};

struct EmptyJob {
  Task<> run() { co_return; }
};

struct ManagerOf {
  explicit ManagerOf(apiserver::ServerOptions options = {}) : cluster(std::move(options)) {}

  // A controller of one kind, with a test's own handler.
  Cache<Object>& watch(const api::ResourceKind& kind, Handler handler) {
    ControllerManager& manager = cluster.manager();
    Cache<Object>& cache = manager.cache<Object>(kind);
    manager.feed(manager.controller("noted", {.workers = 2}, Calls{std::move(handler)}), cache);
    return cache;
  }
  void make_map(const std::string& name) {
    ASSERT_TRUE(cluster.api()
                    .post("/api/v1/namespaces/default/configmaps",
                          R"({"metadata":{"name":")" + name + R"("}})")
                    .ok());
  }

  std::vector<std::string> handled;
  test::VirtualCluster cluster;
};

std::string holder(test::VirtualCluster& cluster) {
  return std::string(cluster.api()
                         .get("/apis/coordination.k8s.io/v1/namespaces/default/leases/tested")
                         .text({"spec", "holderIdentity"}));
}

TEST(ControllerManager, handles_each_cache_change) {
  ManagerOf of;
  of.watch(kMaps, [&](api::NamespacedName name) -> Task<Outcome> {
    of.handled.push_back(name.str());
    co_return Outcome::done();
  });
  of.make_map("before");
  of.cluster.start();
  of.cluster.run_for(1min);
  of.make_map("after");
  of.cluster.run_for(1min);
  of.cluster.api().remove("/api/v1/namespaces/default/configmaps/before");
  of.cluster.run_for(1min);
  EXPECT_EQ(of.handled,
            (std::vector<std::string>{"default/before", "default/after", "default/before"}));
}

// The habit of C++: a parameter that is a reference.
struct ByReference {
  std::vector<std::string>* handled;
  Task<Outcome> reconcile(const api::NamespacedName& name) {
    co_await runtime::yield();
    handled->push_back(name.str());
    co_return Outcome::done();
  }
};
std::vector<std::string> handled_by_function;
Task<Outcome> by_reference(const api::NamespacedName& name) {
  co_await runtime::yield();
  handled_by_function.push_back(name.str());
  co_return Outcome::done();
}

TEST(ControllerManager, keeps_name_that_is_taken_by_reference) {
  ManagerOf of;
  ControllerManager& manager = of.cluster.manager();
  auto& maps = manager.cache<Object>(kMaps);
  manager.feed(manager.controller("object", {}, ByReference{&of.handled}), maps);
  manager.feed(manager.controller("function", {}, by_reference), maps);
  const std::string name = "longer-than-a-text-without-memory-of-its-own";
  of.make_map(name);
  of.cluster.start();
  of.cluster.run_for(1min);
  const std::vector<std::string> expected{"default/" + name};
  EXPECT_EQ(of.handled, expected);
  EXPECT_EQ(std::exchange(handled_by_function, {}), expected);
}

TEST(ControllerManager, caches_kind_that_is_named_at_run_time) {
  ManagerOf of;
  const std::string plural = "configmaps", name = "ConfigMap";
  ControllerManager& manager = of.cluster.manager();
  // The kind itself is gone before run().
  auto& cache = manager.decoded_cache<api::json::Unstructured>(
      api::ResourceKind{"", plural, name, api::Scope::namespaced, kV1},
      api::json::make_unstructured_decoder(),
      {.keep = [](const api::json::Unstructured& map) { return map.find("data") != nullptr; }});
  manager.owns(manager.controller("noted", {}, ByReference{&of.handled}), cache, kMaps);
  of.cluster.start();
  of.make_map("owner");  // without data
  const std::string maps = "/api/v1/namespaces/default/configmaps";
  const auto owner = of.cluster.api().get(maps + "/owner");
  of.cluster.api().post(
      maps, R"({"metadata":{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap",)"
            R"("name":"owner","controller":true,"uid":")" +
                std::string(owner.text({"metadata", "uid"})) + R"("}]},"data":{"k":"v"}})");
  of.cluster.run_for(1min);
  const auto object = cache.get({"default", "a"});
  ASSERT_TRUE(object);
  EXPECT_EQ(*object->find("data"), R"({"k":"v"})");
  EXPECT_EQ(cache.get({"default", "owner"}), nullptr);
  EXPECT_EQ(of.handled, (std::vector<std::string>{"default/owner"}));
  (void)of.cluster.wait_for(manager.client(cache).add_finalizer(*object, "example.com/f"));
  EXPECT_EQ(cache.get({"default", "a"})->finalizers, (std::vector<std::string>{"example.com/f"}));
}

Task<Outcome> done_at_once(api::NamespacedName) {
  co_return Outcome::done();
}

// The habit of Go: several calls at a time.
struct TwoAtOnce {
  ControllerManager* manager;
  std::vector<std::string>* handled;
  Task<> note(std::string what) {
    co_await runtime::sleep_for(manager->time(), 1s);
    handled->push_back(std::move(what));
  }
  Task<> run() {
    runtime::TaskGroup group(manager->executor());
    group.spawn("first", note("first"));
    group.spawn("second", note("second"));
    co_await group.join();
    handled->push_back("both");
  }
};

TEST(ControllerManager, lets_job_start_tasks_of_its_own) {
  ManagerOf of;
  ControllerManager& manager = of.cluster.manager();
  manager.job("two", RunsOn::leader, TwoAtOnce{&manager, &of.handled});
  of.cluster.start();
  of.cluster.run_for(10s);
  ASSERT_EQ(of.handled.size(), 3U);
  EXPECT_EQ(of.handled.back(), "both");
}

struct FailingJob {
  Task<> run() {
    co_await runtime::yield();
    throw std::runtime_error("boom");
  }
};

TEST(ControllerManager, names_job_that_fails) {
  for (const RunsOn where : {RunsOn::leader, RunsOn::every_instance}) {
    ManagerOf of;
    of.cluster.manager().job("sweep", where, FailingJob{});
    of.cluster.start();
    of.cluster.run_for(1min);
    EXPECT_EQ(of.cluster.manager().exit_status(), ExitStatus::failed);
    const std::string log = of.cluster.log();
    const auto line = log.find("A part of the program has failed");
    ASSERT_NE(line, std::string::npos) << log;
    EXPECT_NE(log.substr(line, 200).find("sweep"), std::string::npos) << log.substr(line, 200);
  }
}

// What the exception says; empty if there is none.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return {};
}

TEST(ControllerManager, refuses_second_controller_or_cache_of_a_name) {
  ManagerOf of;
  ControllerManager& manager = of.cluster.manager();
  manager.cache<Object>(kMaps);
  manager.controller("one", {}, done_at_once);
  EXPECT_EQ(refusal([&] { manager.controller("one", {}, done_at_once); }),
            "there are two controllers with the name \"one\": give each a name of its own");
  EXPECT_EQ(refusal([&] { manager.cache<Object>(kMaps); }),
            "there are two caches with the name \"configmaps\": set `.name` in the CacheOptions of "
            "the second");
  EXPECT_EQ(refusal([&] { manager.cache<Object>(kMaps, {}, {.name = "other maps"}); }), "");
}

TEST(ControllerManager, refuses_what_can_never_run_or_runs_without_pause) {
  ManagerOf of;
  ControllerManager& manager = of.cluster.manager();
  EXPECT_EQ(refusal([&] { manager.controller("one", {.workers = 0}, done_at_once); }),
            "the controller \"one\" needs a worker");
  EXPECT_EQ(refusal([&] { manager.periodic_job("two", RunsOn::leader, 0s, EmptyJob{}); }),
            "the job \"two\" needs an interval above zero");
  for (const runtime::Backoff backoff : {runtime::Backoff{0s, 1s}, runtime::Backoff{2s, 1s}}) {
    EXPECT_EQ(refusal([&] { manager.controller("three", {.backoff = backoff}, done_at_once); }),
              "the controller \"three\" needs a first back-off above zero, and at most the longest "
              "one");
  }
}

TEST(ControllerManager, refuses_late_index_and_feed) {
  ManagerOf of;
  auto& maps = of.watch(kMaps, done_at_once);
  auto& late = of.cluster.manager().controller("late", {}, done_at_once);
  of.make_map("a");
  of.cluster.start();
  of.cluster.run_for(1min);
  EXPECT_EQ(refusal([&] { maps.index<api::NamespacedName>("by_name", own_name); }),
            "the cache \"configmaps\": call index(\"by_name\") before run()");
  EXPECT_EQ(refusal([&] { of.cluster.manager().feed(late, maps); }),
            "the cache \"configmaps\": call feed() before run()");
}

TEST(ControllerManager, refuses_late_cache_controller_and_job) {
  ManagerOf of;
  ControllerManager& manager = of.cluster.manager();
  of.cluster.start();
  of.cluster.run_for(1s);
  EXPECT_EQ(refusal([&] { manager.cache<Object>(kMaps); }),
            "call cache(\"configmaps\") before run()");
  EXPECT_EQ(refusal([&] { manager.controller("late", {}, done_at_once); }),
            "call controller(\"late\") before run()");
  EXPECT_EQ(refusal([&] { manager.job("late", RunsOn::leader, EmptyJob{}); }),
            "call job(\"late\") before run()");
}

TEST(ControllerManager, waits_for_unserved_kind_without_lease) {
  ManagerOf of;
  of.watch(kFoos, [&](api::NamespacedName) -> Task<Outcome> { co_return Outcome::done(); });
  of.cluster.start();
  of.cluster.run_for(1h);
  EXPECT_EQ(holder(of.cluster), "");
  const HealthReport report = of.cluster.manager().health().ready.run("readyz", Verbose::no);
  EXPECT_FALSE(report.is_healthy);
  EXPECT_NE(report.text.find("foos: not served"), std::string::npos) << report.text;
}

TEST(ControllerManager, waits_for_each_unserved_kind_by_itself) {
  ManagerOf of;
  of.watch(kFoos, done_at_once);
  of.cluster.manager().cache<Object>(kMoving);
  of.cluster.manager().cache<Object>(kMaps);
  of.make_map("a");
  of.cluster.start();
  of.cluster.run_for(1min);
  const HealthReport report = of.cluster.manager().health().ready.run("readyz", Verbose::no);
  EXPECT_NE(report.text.find("foos: not served"), std::string::npos) << report.text;
  EXPECT_NE(report.text.find("movings: not served"), std::string::npos) << report.text;
  const std::string metrics = of.cluster.metrics();
  EXPECT_NE(metrics.find("tested_informer_objects{resource=\"configmaps\"} 1\n"), std::string::npos)
      << metrics;
}

// Marks each object that it sees.
struct Marker {
  ControllerManager* manager;
  Cache<Object>* cache;

  Task<Outcome> reconcile(api::NamespacedName name) {
    const auto object = cache->get(name);
    if (!object) co_return Outcome::done();
    const auto written = co_await manager->client(*cache).merge_patch(
        object->meta, {{"metadata", {{"annotations", {{"marked", "yes"}}}}}});
    co_return manager->done_or_retry(name, written);
  }
};

const std::string kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

// A controller of a kind that is served in one version after another.
struct Movings : ManagerOf {
  explicit Movings(const std::string& version) {
    ControllerManager& manager = cluster.manager();
    auto& cache = manager.cache<Object>(kMoving);
    manager.feed(manager.controller("marker", {}, Marker{&manager, &cache}), cache);
    EXPECT_TRUE(cluster.api().post(kDefinitions, definition(version)).ok());
    cluster.start();
    cluster.run_for(1min);
  }

  // Empty: in none.
  static std::string definition(const std::string& served) {
    const auto version = [&served](const std::string& name, const char* is_stored) {
      return R"({"name":")" + name + R"(","served":)" + (name == served ? "true" : "false") +
             R"(,"storage":)" + is_stored + R"(,"schema":{"openAPIV3Schema":{"type":"object"}}})";
    };
    return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
           R"("metadata":{"name":"movings.example.com"},"spec":{"group":"example.com",)"
           R"("scope":"Namespaced",)"
           R"("names":{"plural":"movings","singular":"moving","kind":"Moving"},"versions":[)" +
           version("v1", "true") + "," + version("v2", "false") + "]}}";
  }
  void serve(const std::string& version) {
    ASSERT_TRUE(
        cluster.api()
            .patch(kDefinitions + "/movings.example.com", apiserver::kMerge, definition(version))
            .ok());
  }
  static std::string path(const std::string& version) {
    return "/apis/example.com/" + version + "/namespaces/default/movings";
  }
  void make(const std::string& version, const std::string& name) {
    const auto made = cluster.api().post(
        path(version), R"({"apiVersion":"example.com/)" + version +
                           R"(","kind":"Moving","metadata":{"name":")" + name + R"("}})");
    ASSERT_TRUE(made.ok()) << made.status;
  }
  bool is_marked(const std::string& version, const std::string& name) {
    const auto object = cluster.api().get(path(version) + "/" + name);
    return object.text({"metadata", "annotations", "marked"}) == "yes";
  }
  bool is_ready() { return cluster.manager().health().ready.run("readyz", Verbose::no).is_healthy; }
};

TEST(ControllerManager, goes_on_with_next_version_when_one_is_no_longer_served) {
  Movings of("v1");
  of.make("v1", "early");
  of.cluster.run_for(2min);
  of.serve("v2");
  of.cluster.run_for(2min);
  of.make("v2", "late");
  of.cluster.run_for(2min);
  EXPECT_TRUE(of.is_marked("v2", "early"));
  EXPECT_TRUE(of.is_marked("v2", "late"));
  EXPECT_TRUE(of.is_ready());
}

// How long each version is served: shorter and longer than the questions for versions are apart.
class ChangingVersions : public testing::TestWithParam<std::chrono::seconds> {};

TEST_P(ChangingVersions, are_followed_without_haste) {
  Movings of("v1");
  int number = 0;
  for (const std::string version : {"v2", "v1", "", "v1", "v2", "", "v2", "v1", "v2", "v1"}) {
    of.serve(version);
    if (!version.empty()) of.make(version, "o" + std::to_string(number++));
    of.cluster.server().log().clear();
    of.cluster.run_for(GetParam());
    // Leases are renewed all the time.
    const auto requests =
        std::ranges::count_if(of.cluster.server().log().all(), [](const auto& request) {
          return request.user_agent != "test" && request.resource != "leases";
        });
    EXPECT_LE(requests, 30 + GetParam() / 10s) << version;
    if (GetParam() < 100s) continue;
    EXPECT_EQ(of.is_ready(), !version.empty()) << version;
    if (!version.empty()) EXPECT_TRUE(of.is_marked(version, "o" + std::to_string(number - 1)));
  }
  of.cluster.run_for(2min);
  for (int i = 0; i < number; ++i) EXPECT_TRUE(of.is_marked("v1", "o" + std::to_string(i))) << i;
  EXPECT_TRUE(of.is_ready());
}

INSTANTIATE_TEST_SUITE_P(Periods, ChangingVersions, testing::Values(1s, 10s, 29s, 31s, 100s, 4min));

void begin_long_work(ManagerOf& of, runtime::Duration duration) {
  of.watch(kMaps, [&of, duration](api::NamespacedName name) -> Task<Outcome> {
    of.handled.push_back("begins " + name.str());
    co_await runtime::sleep_for(of.cluster.time(), duration);
    of.handled.push_back("ends " + name.str());
    co_return Outcome::done();
  });
  of.make_map("a");
  of.cluster.start();
  while (of.handled.empty()) of.cluster.run_for(1s);
}

TEST(ControllerManager, finishes_started_work_and_returns_lease_on_stop) {
  ManagerOf of;
  begin_long_work(of, 10s);
  EXPECT_NE(holder(of.cluster), "");
  of.cluster.manager().request_stop();
  of.cluster.run_for(1min);
  EXPECT_EQ(of.handled, (std::vector<std::string>{"begins default/a", "ends default/a"}));
  EXPECT_EQ(holder(of.cluster), "");
  EXPECT_EQ(of.cluster.manager().exit_status(), ExitStatus::asked_to_stop);
}

TEST(ControllerManager, limits_time_of_stop) {
  ManagerOf of;
  begin_long_work(of, 10h);
  of.cluster.manager().request_stop();
  of.cluster.run_for(1min);
  EXPECT_EQ(of.handled, (std::vector<std::string>{"begins default/a"}));
  EXPECT_EQ(holder(of.cluster), "");
}

TEST(ControllerManager, stops_at_once_before_anything_is_served) {
  ManagerOf of;
  of.watch(kFoos, [&](api::NamespacedName) -> Task<Outcome> { co_return Outcome::done(); });
  of.cluster.start();
  of.cluster.run_for(1s);
  of.cluster.manager().request_stop();
  of.cluster.run_for(1min);
  EXPECT_EQ(of.cluster.manager().exit_status(), ExitStatus::asked_to_stop);
}

TEST(ControllerManager, stops_with_status_and_writes_nothing_after_losing_lease) {
  ManagerOf of;
  of.watch(kMaps, [&](api::NamespacedName) -> Task<Outcome> { co_return Outcome::done(); });
  of.cluster.start();
  of.cluster.run_for(1min);
  of.cluster.server().before([](const apiserver::LoggedRequest& request) {
    std::optional<apiserver::Response> refusal;
    if (request.resource == "leases") refusal = apiserver::Response{.status = 500, .body = "{}"};
    return refusal;
  });
  of.cluster.run_for(1min);
  EXPECT_EQ(of.cluster.manager().exit_status(), ExitStatus::lease_lost);
  EXPECT_NE(of.cluster.log().find("lease"), std::string::npos) << of.cluster.log();
}

// A restart of the API server must not make every instance unready.
TEST(ControllerManager, is_unready_only_when_lease_fails_for_ten_seconds) {
  ManagerOf of;
  of.watch(kMaps, done_at_once);
  of.cluster.start();
  of.cluster.run_for(1min);
  test::VirtualInstance& standby = of.cluster.another_instance([](ControllerManager& manager) {
    manager.feed(manager.controller("noted", {}, Calls{done_at_once}),
                 manager.cache<Object>(kMaps));
  });
  const auto report = [&] { return standby.manager().health().ready.run("readyz", Verbose::no); };
  of.cluster.run_for(1min);
  EXPECT_TRUE(report().is_healthy);
  of.cluster.server().before([](const apiserver::LoggedRequest& request) {
    const bool is_lease = request.resource == "leases";
    return is_lease ? std::optional(apiserver::json_response(503, "{}")) : std::nullopt;
  });
  of.cluster.run_for(9s);
  EXPECT_TRUE(report().is_healthy) << report().text;
  of.cluster.run_for(6s);
  EXPECT_FALSE(report().is_healthy);
  EXPECT_NE(report().text.find("[-]lease failed: "), std::string::npos) << report().text;
}

TEST(VirtualCluster, hands_lease_to_another_instance) {
  ManagerOf of;
  of.watch(kMaps, done_at_once);
  of.cluster.start();
  of.cluster.run_for(1min);
  test::VirtualInstance& another = of.cluster.another_instance([&](ControllerManager& manager) {
    Cache<Object>& maps = manager.cache<Object>(kMaps);
    manager.feed(manager.controller("noted", {}, ByReference{&of.handled}), maps);
  });
  of.make_map("a");
  of.cluster.run_for(1min);
  EXPECT_TRUE(of.handled.empty());
  const std::string first = holder(of.cluster);
  of.cluster.manager().request_stop();
  of.cluster.run_for(1min);
  EXPECT_EQ(of.handled, (std::vector<std::string>{"default/a"}));
  EXPECT_NE(holder(of.cluster), "");
  EXPECT_NE(holder(of.cluster), first);
  EXPECT_NE(another.log().find("Working"), std::string::npos);
  EXPECT_NE(another.metrics().find("tested_informer_objects{resource=\"configmaps\"} 1\n"),
            std::string::npos);
}

TEST(VirtualCluster, waits_for_task_without_result) {
  test::VirtualCluster cluster;
  const auto begin = cluster.time().now();
  cluster.wait_for(runtime::sleep_for(cluster.time(), 1h));
  EXPECT_EQ(cluster.time().now() - begin, 1h);
}

TEST(VirtualCluster, refuses_second_start) {
  ManagerOf of;
  of.cluster.start();
  EXPECT_EQ(refusal([&] { of.cluster.start(); }), "start() was called already");
}

TEST(VirtualCluster, calls_no_hook_in_its_destructor) {
  int calls = 0;  // a test's local that is destroyed before the cluster would be used afterwards
  {
    ManagerOf of;
    of.watch(kMaps, done_at_once);
    of.cluster.start();
    of.cluster.run_for(1min);
    of.cluster.server().before([&](const apiserver::LoggedRequest&) {
      ++calls;
      return std::optional<apiserver::Response>();
    });
    of.cluster.server().after(
        [&](const apiserver::LoggedRequest&, apiserver::Response&) { ++calls; });
    of.cluster.run_for(1min);
    EXPECT_GT(std::exchange(calls, 0), 0);
  }
  EXPECT_EQ(calls, 0);
}

TEST(ControllerManager, recreates_broken_connections) {
  ManagerOf of;
  of.watch(kMaps, [&](api::NamespacedName name) -> Task<Outcome> {
    of.handled.push_back(name.str());
    co_return Outcome::done();
  });
  of.cluster.start();
  of.cluster.run_for(10s);
  of.cluster.cut_connections();
  of.make_map("a");
  of.cluster.run_for(2min);
  EXPECT_EQ(of.handled, (std::vector<std::string>{"default/a"}));
}

}  // namespace
}  // namespace dcm::manager
