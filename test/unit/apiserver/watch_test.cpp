// Watches: where they start, what they show, how they end.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";

class Watches : public Api {
 protected:
  explicit Watches(ServerOptions options = {}) : Api(std::move(options)) {}

  Answer make(std::string_view name, std::string_view labels = "{}") {
    return api.post(kMaps, R"({"metadata":{"name":")" + std::string(name) + R"(","labels":)" +
                               std::string(labels) + "}}");
  }
  void label(std::string_view name, std::string_view labels) {
    api.patch(std::string(kMaps) + "/" + std::string(name), kMerge,
              R"({"metadata":{"labels":)" + std::string(labels) + "}}");
  }
  void remove(std::string_view name) { api.remove(std::string(kMaps) + "/" + std::string(name)); }
  std::string now() const { return std::to_string(server.store().revision()); }

  std::unique_ptr<Watch> open(std::string_view query) {
    auto watch = api.watch(std::string(kMaps) + "?watch=true&" + std::string(query));
    EXPECT_TRUE(watch.has_value()) << (watch ? "" : watch.error().body);
    return watch ? std::move(*watch) : nullptr;
  }
  int refused(std::string_view query) {
    const auto watch = api.watch(std::string(kMaps) + "?watch=true&" + std::string(query));
    return watch ? 200 : watch.error().status;
  }
};

constexpr std::string_view kWatchList =
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

TEST_F(Watches, show_changes_from_version_on) {
  make("a");
  auto watch = open("resourceVersion=" + now());
  EXPECT_EQ(summary(drain(*watch)), Lines{});
  make("b");
  label("a", R"({"x":"y"})");
  remove("b");
  EXPECT_EQ(summary(drain(*watch)), (Lines{"ADDED b", "MODIFIED a", "DELETED b"}));
}

TEST_F(Watches, show_deleted_object_with_deletion_version) {
  make("a");
  auto watch = open("resourceVersion=" + now());
  remove("a");
  const auto events = drain(*watch);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(text_at(events[0], {"object", "metadata", "resourceVersion"}), now());
}

TEST_F(Watches, start_with_current_state_without_version) {
  make("a");
  auto watch = open("");
  make("b");
  EXPECT_EQ(summary(drain(*watch)), (Lines{"ADDED a", "ADDED b"}));
}

TEST_F(Watches, end_initial_events_with_marked_bookmark) {
  make("a");
  make("b");
  auto watch = open(kWatchList);
  make("c");
  const auto events = drain(*watch);
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(text_at(events[2], {"type"}), "BOOKMARK");
  EXPECT_EQ(text_at(events[2], {"object", "kind"}), "ConfigMap");
  EXPECT_EQ(text_at(events[2], {"object", "metadata", "annotations", "k8s.io/initial-events-end"}),
            "true");
  EXPECT_EQ(text_at(events[2], {"object", "metadata", "resourceVersion"}),
            text_at(events[1], {"object", "metadata", "resourceVersion"}));
  EXPECT_EQ(text_at(events[3], {"object", "metadata", "name"}), "c");
}

TEST_F(Watches, mark_end_of_empty_watch_list) {
  EXPECT_EQ(summary(drain(*open(kWatchList))), Lines{"BOOKMARK " + now()});
}

TEST_F(Watches, follow_selector_matches) {
  make("a");
  auto watch = open("labelSelector=x%3Dy&resourceVersion=" + now());
  label("a", R"({"x":"y"})");
  label("a", R"({"z":"z"})");
  label("a", R"({"x":"n"})");
  label("a", R"({"z":"n"})");
  EXPECT_EQ(summary(drain(*watch)), (Lines{"ADDED a", "MODIFIED a", "DELETED a"}));
}

TEST_F(Watches, ignore_other_namespaces_and_kinds) {
  auto watch = open("resourceVersion=" + now());
  api.post("/api/v1/namespaces/kube-system/configmaps", R"({"metadata":{"name":"x"}})");
  make_claim();
  EXPECT_EQ(summary(drain(*watch)), Lines{});
}

TEST_F(Watches, send_bookmarks_each_minute_if_allowed) {
  auto quiet = open("resourceVersion=" + now());
  auto watch = open("allowWatchBookmarks=true&resourceVersion=" + now());
  make_claim();
  EXPECT_EQ(summary(drain(*watch)), Lines{});
  while (time.advance_to_next(runtime::MonoTime(60s))) {
  }
  EXPECT_EQ(summary(drain(*watch)), Lines{"BOOKMARK " + now()});
  EXPECT_EQ(summary(drain(*quiet)), Lines{});
}

// As with a restored etcd whose revisions go back: the watch passes over all that it counts as
// seen.
TEST_F(Watches, show_nothing_before_their_version_after_restore) {
  const Store::Snapshot before = server.store().snapshot();
  make("a");
  make("b");
  auto watch = open("resourceVersion=" + now());
  const std::string last = now();
  server.restore(before, before.revision);
  EXPECT_TRUE(watch->ended());
  watch = open("allowWatchBookmarks=true&resourceVersion=" + last);
  EXPECT_EQ(api.get(std::string(kMaps) + "/a").status, 404);
  make("c");
  while (time.advance_to_next(runtime::MonoTime(60s))) {
  }
  EXPECT_EQ(summary(drain(*watch)), Lines{});
  make("d");
  make("e");
  EXPECT_EQ(summary(drain(*watch)), Lines{"ADDED e"});
}

TEST_F(Watches, expire_after_restore_with_later_revision) {
  make("a");
  const Store::Snapshot before = server.store().snapshot();
  const std::string version = now();
  server.restore(before, before.revision + 1'000);
  EXPECT_EQ(summary(drain(*open("resourceVersion=" + version))), Lines{"ERROR Expired"});
  EXPECT_EQ(text_at(api.get(std::string(kMaps) + "/a").body, {"metadata", "resourceVersion"}),
            version);
}

TEST_F(Watches, send_bookmark_before_timeout) {
  auto watch = open("allowWatchBookmarks=true&timeoutSeconds=10&resourceVersion=" + now());
  EXPECT_TRUE(time.advance_to_next(runtime::MonoTime(8s)));
  EXPECT_EQ(time.now(), runtime::MonoTime(8s));
  EXPECT_EQ(summary(drain(*watch)), Lines{"BOOKMARK " + now()});
  EXPECT_FALSE(watch->ended());
  EXPECT_TRUE(time.advance_to_next(runtime::MonoTime(10s)));
  EXPECT_TRUE(watch->ended());
}

TEST_F(Watches, end_after_timeout) {
  auto watch = open("timeoutSeconds=5&resourceVersion=" + now());
  int told = 0;
  watch->on_ready([&] { ++told; });
  make("a");
  EXPECT_EQ(told, 1);
  EXPECT_FALSE(watch->ended());
  time.advance_to_next(runtime::MonoTime(5s));
  EXPECT_EQ(told, 2);
  EXPECT_TRUE(watch->ended());
}

TEST_F(Watches, last_for_a_timeout_of_any_size) {
  auto watch = open("timeoutSeconds=9223372036854775807&resourceVersion=" + now());
  EXPECT_FALSE(time.advance_to_next(runtime::MonoTime(24h * 365)));
  EXPECT_FALSE(watch->ended());
}

TEST_F(Watches, end_within_thirty_to_sixty_minutes_by_default) {
  auto watch = open("resourceVersion=" + now());
  EXPECT_FALSE(time.advance_to_next(runtime::MonoTime(30min)));
  EXPECT_TRUE(time.advance_to_next(runtime::MonoTime(60min)));
  EXPECT_TRUE(watch->ended());
}

TEST_F(Watches, leave_nothing_behind) {
  {
    auto watch = open(kWatchList);
  }
  EXPECT_EQ(server.open_watches(), 0U);
  EXPECT_EQ(time.pending(), 0U);
  make("a");
}

TEST_F(Watches, can_be_ended_by_server) {
  auto watch = open("resourceVersion=" + now());
  server.end_watches("pods");
  EXPECT_FALSE(watch->ended());
  server.end_watches("configmaps");
  EXPECT_TRUE(watch->ended());
}

struct RefusedRow {
  std::string_view sentence;
  std::string_view query;
  int status;
};

class RefusedWatch : public Watches, public ::testing::WithParamInterface<RefusedRow> {};

TEST_P(RefusedWatch, is_answered) {
  EXPECT_EQ(refused(GetParam().query), GetParam().status) << GetParam().query;
}

constexpr RefusedRow kRefusedRows[] = {
    {"a version that is no number", "resourceVersion=abc", 500},
    {"initial events without a match", "sendInitialEvents=true", 422},
    {"a match without initial events", "resourceVersionMatch=NotOlderThan", 422},
    {"a field selector that is none", "fieldSelector=nonsense", 400},
};

INSTANTIATE_TEST_SUITE_P(Rows, RefusedWatch, ::testing::ValuesIn(kRefusedRows), kBySentence);

TEST_F(Watches, report_initial_events_from_future_as_error) {
  auto watch =
      open("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99999");
  const auto events = drain(*watch);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(integer_at(events[0], {"object", "code"}), 504);
  EXPECT_TRUE(watch->ended());
}

class LaterStart : public Watches {
 protected:
  LaterStart() : Watches(ServerOptions{.first_revision = 1000}) {}
};

TEST_F(LaterStart, shows_nothing_after_error_event) {
  make("a");
  auto watch = open("resourceVersion=1");
  EXPECT_EQ(summary(drain(*watch)), Lines{"ERROR Expired"});
  make("b");
  EXPECT_EQ(summary(drain(*watch)), Lines{});
}

class ShortHistory : public Watches {
 protected:
  ShortHistory() : Watches(ServerOptions{.history_limit = 2}) {}
};

TEST_F(ShortHistory, reports_old_version_as_error_event) {
  const std::string old = now();
  for (const auto* name : {"a", "b", "c"}) make(name);
  auto watch = open("resourceVersion=" + old);
  EXPECT_TRUE(watch->ended());
  const auto events = drain(*watch);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(text_at(events[0], {"type"}), "ERROR");
  EXPECT_EQ(integer_at(events[0], {"object", "code"}), 410);
  EXPECT_EQ(text_at(events[0], {"object", "reason"}), "Expired");
}

TEST_F(ShortHistory, cuts_off_slow_reader) {
  auto watch = open("resourceVersion=" + now());
  for (const auto* name : {"a", "b", "c"}) make(name);
  EXPECT_EQ(summary(drain(*watch)), Lines{});
  EXPECT_TRUE(watch->ended());
}

TEST_F(ShortHistory, keeps_current_reader_through_compaction) {
  auto watch = open("resourceVersion=" + now());
  make("a");
  drain(*watch);
  server.compact_history();
  make("b");
  EXPECT_EQ(summary(drain(*watch)), Lines{"ADDED b"});
}

class OldServer : public Watches {
 protected:
  OldServer() : Watches(with(WatchServing::WatchList::ignored)) {}
  static ServerOptions with(WatchServing::WatchList how) {
    ServerOptions options;
    options.watches.watch_list = how;
    return options;
  }
};

TEST_F(OldServer, ignores_watch_list_and_sends_no_marker) {
  make("a");
  auto watch = open(kWatchList);
  EXPECT_EQ(summary(drain(*watch)), Lines{"ADDED a"});
}

TEST(WatchListGate, rejects_watch_list_if_off) {
  runtime::VirtualTime time;
  Server server(time, runtime::Rng(1),
                {.watches = {.watch_list = WatchServing::WatchList::refused}});
  Direct api(server);
  const auto watch = api.watch(std::string(kMaps) + "?watch=true&" + std::string(kWatchList));
  ASSERT_FALSE(watch.has_value());
  EXPECT_EQ(watch.error().status, 422);
}

}  // namespace
}  // namespace dcm::apiserver
