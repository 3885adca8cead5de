// Every transition of the reflector's state machine as a row, and the whole state × event table.
#include "informers/watch_state.hpp"

#include <sstream>

#include <gmock/gmock.h>

#include "runtime/assert.hpp"

namespace dcm::informers {
namespace {

using namespace std::chrono_literals;
using api::ResourceVersion;
using runtime::Error;
using runtime::InvariantViolation;
using runtime::Reason;

const MonoTime kNow{1h};
const WatchPolicy kPolicy{};

Failed failed(Reason reason, std::optional<Duration> retry_after = {}) {
  return {Error{.reason = reason, .message = "said so", .retry_after = retry_after}};
}
Failed answered(std::uint16_t status, Reason reason) {
  return {Error{.reason = reason, .message = "said so", .http_status = status}};
}
PageRead page(std::string version, std::string continue_token = {}) {
  return {{ResourceVersion(version), std::move(continue_token)}};
}
Bookmarked bookmark(std::string version) {
  return {ResourceVersion(version), false};
}
Bookmarked end_of_initial_events(std::string version) {
  return {ResourceVersion(version), true};
}

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// A step in one line: "relist(start) begin | watch list by 30".
class Describe {
 public:
  std::string operator()(const WatchStep& step) {
    for (const Effect& effect : step.effects) std::visit(*this, effect);
    out_ << "| ";
    std::visit(*this, step.request);
    if (step.next.pages_until == MonoTime::max()) {
      out_ << ", pages from now on";
    } else if (step.next.pages_until > MonoTime()) {
      out_ << ", pages for a while";
    }
    return out_.str();
  }

  void operator()(const CountRelist& e) { out_ << "relist(" << to_string(e.reason) << ") "; }
  void operator()(const BeginRelist&) { out_ << "begin "; }
  void operator()(const EndRelist& e) { out_ << "end@" << e.version.str() << " "; }
  void operator()(const ReportFallback&) { out_ << "fallback "; }
  void operator()(const ReportFailure& e) {
    out_ << "failure(" << to_string(e.error.reason) << ") ";
  }
  void operator()(const OpenWatchList& r) { out_ << "watch list" << by(r.deadline); }
  void operator()(const ReadPage& r) {
    out_ << "page '" << r.continue_token << "'";
    if (r.limit != 500) out_ << " of " << r.limit;
    out_ << by(r.deadline);
  }
  void operator()(const OpenWatch& r) { out_ << "watch from " << r.from.str() << by(r.deadline); }
  void operator()(const ReadEvent& r) { out_ << "read" << by(r.deadline); }
  void operator()(const Wait& r) {
    out_ << "wait " << seconds(r.at_least) << "+" << seconds(r.jitter);
  }

 private:
  static std::string by(Deadline deadline) {
    std::ostringstream text;
    text << " by " << seconds(deadline.time() - kNow);
    return text.str();
  }
  std::ostringstream out_;
};

const AwaitingInitialEvents kInitial{kNow};
const Listing kFirstPage{};
const Listing kNextPage{{.continue_token = "token"}};
const Watching kWatching{ResourceVersion("10"), kNow - 1min};

struct Row {
  std::string name;
  WatchPhase phase;
  ReflectorEvent event;
  std::string expected;
};

// A server restored to an earlier state may never know the token again.
TEST(WatchStateOfPages, restart_list_if_page_stays_refused) {
  const auto begins_anew = [](const Listing& phase, Reason reason, unsigned failures) {
    WatchState state;
    state.phase = Listing{phase.page, failures};
    state.failures = 20;  // of other requests: they are ignored
    const WatchStep step = advance(state, failed(reason), kNow, kPolicy);
    return std::holds_alternative<ListAnew>(std::get<Waiting>(step.next.phase).then);
  };
  EXPECT_TRUE(begins_anew(kNextPage, Reason::bad_request, 0));
  EXPECT_TRUE(begins_anew(kNextPage, Reason::resource_version_too_large, 0));
  EXPECT_FALSE(begins_anew(kNextPage, Reason::internal_error, 7));
  EXPECT_TRUE(begins_anew(kNextPage, Reason::internal_error, 8));
  EXPECT_FALSE(begins_anew(kFirstPage, Reason::internal_error, 8)) << "there is nothing to restart";
}

class WatchStateTest : public ::testing::TestWithParam<Row> {};

TEST_P(WatchStateTest, follows_table) {
  WatchState state;
  state.phase = GetParam().phase;
  const WatchStep step = advance(state, GetParam().event, kNow, kPolicy);
  EXPECT_EQ(Describe()(step), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, WatchStateTest,
    ::testing::Values(
        Row{"the_first_thing_is_a_watch_list", Idle{}, Started{},
            "relist(start) begin | watch list by 30"},

        Row{"initial_events_are_read_once_the_watch_is_accepted", kInitial, Accepted{},
            "| read by 30"},
        Row{"initial_events_are_read_on", kInitial, Changed{ResourceVersion("7")}, "| read by 30"},
        Row{"initial_events_may_take_long_but_not_for_ever", AwaitingInitialEvents{kNow - 110s},
            Changed{ResourceVersion("7")}, "| read by 10"},
        Row{"an_ordinary_bookmark_does_not_end_the_initial_events", kInitial, bookmark("8"),
            "| read by 30"},
        Row{"the_marked_bookmark_ends_the_initial_events_and_the_watch_goes_on", kInitial,
            end_of_initial_events("9"), "end@9 | read by 130"},
        Row{"a_compressed_watch_list_is_left_for_a_plain_watch_at_its_end",
            AwaitingInitialEvents{kNow - 30s, Compression::gzip}, end_of_initial_events("9"),
            "end@9 | watch from 9 by 60"},
        Row{"one_that_took_long_goes_on_as_the_server_may_forget_where_it_was",
            AwaitingInitialEvents{kNow - 31s, Compression::gzip}, end_of_initial_events("9"),
            "end@9 | read by 130"},
        Row{"a_clean_end_before_the_mark_is_asked_again", kInitial, Ended{},
            "failure(disconnected) | wait 0.8+0.8"},
        Row{"a_server_without_the_feature_answers_422", kInitial, failed(Reason::invalid),
            "fallback begin | page '' by 60, pages from now on"},
        Row{"a_server_that_does_not_know_the_field_may_answer_400", kInitial,
            failed(Reason::bad_request), "fallback begin | page '' by 60, pages from now on"},
        Row{"initial_events_that_stall_are_read_in_pages", kInitial,
            failed(Reason::deadline_exceeded), "fallback begin | page '' by 60, pages for a while"},
        Row{"initial_events_that_break_off_are_asked_for_again", kInitial,
            failed(Reason::disconnected), "failure(disconnected) | wait 0.8+0.8"},
        Row{"an_expired_watch_list_is_asked_for_again", kInitial, failed(Reason::gone),
            "failure(gone) | wait 0.8+0.8"},
        Row{"too_many_requests_wait_as_long_as_the_server_says", kInitial,
            failed(Reason::too_many_requests, 5s), "failure(too_many_requests) | wait 5+0.8"},
        Row{"a_watch_list_that_is_forbidden_may_be_allowed_a_moment_later", kInitial,
            failed(Reason::forbidden), "failure(forbidden) | wait 0.8+0"},

        Row{"a_page_is_followed_by_the_next", kFirstPage, page("5", "more"), "| page 'more' by 60"},
        Row{"the_last_page_is_followed_by_a_watch", kNextPage, page("5"),
            "end@5 | watch from 5 by 60"},
        Row{"an_expired_page_restarts_the_list_at_once", kNextPage, failed(Reason::gone),
            "relist(page_expired) begin | watch list by 30"},
        Row{"a_page_that_fails_is_read_again", kNextPage, failed(Reason::internal_error),
            "failure(internal_error) | wait 0.8+0.8"},
        Row{"a_resource_that_is_not_served_is_waited_for", kFirstPage, failed(Reason::not_served),
            "failure(not_served) | wait 0.8+0"},
        Row{"refused_credentials_are_tried_again", kFirstPage, failed(Reason::unauthorized),
            "failure(unauthorized) | wait 0.8+0"},

        Row{"an_accepted_watch_is_read", kWatching, Accepted{}, "| read by 130"},
        Row{"an_event_is_followed_by_the_next", kWatching, Changed{ResourceVersion("11")},
            "| read by 130"},
        Row{"a_bookmark_is_followed_by_the_next_event", kWatching, bookmark("12"), "| read by 130"},
        Row{"a_clean_end_is_resumed_at_once", kWatching, Ended{}, "| watch from 10 by 60"},
        Row{"a_watch_that_ends_at_once_and_empty_is_a_failure",
            Watching{ResourceVersion("10"), kNow - 999ms}, Ended{},
            "failure(disconnected) | wait 0.8+0.8"},
        Row{"a_short_watch_that_has_shown_something_is_no_failure_but_no_busy_loop_either",
            Watching{ResourceVersion("10"), kNow - 200ms, Watching::Progress::shown}, Ended{},
            "| wait 0.8+0"},
        Row{"a_page_that_is_too_large_is_asked_for_again_with_a_smaller_limit", kNextPage,
            failed(Reason::body_too_large), "| page 'token' of 125 by 60"},
        Row{"the_smallest_page_is_that_of_one_object", Listing{{.limit = 2}},
            failed(Reason::body_too_large), "begin | page '' of 1 by 60"},
        Row{"an_object_that_is_too_large_by_itself_is_a_failure", Listing{{.limit = 1}},
            failed(Reason::body_too_large), "failure(body_too_large) | wait 0.8+0.8"},
        Row{"a_page_that_leads_to_itself_is_a_failure", kNextPage, page("5", "token"),
            "failure(malformed) | wait 0.8+0.8"},
        Row{"an_expired_version_means_a_relist", kWatching, failed(Reason::gone),
            "relist(expired) begin | watch list by 30"},
        Row{"a_server_that_is_behind_us_is_waited_for", kWatching,
            failed(Reason::resource_version_too_large),
            "failure(resource_version_too_large) | wait 0.8+0.8"},
        Row{"a_silent_peer_is_given_up", kWatching, failed(Reason::deadline_exceeded),
            "failure(deadline_exceeded) | wait 0.8+0.8"},
        Row{"a_watch_that_is_not_accepted_is_waited_for", kWatching, failed(Reason::disconnected),
            "failure(disconnected) | wait 0.8+0.8"},
        Row{"a_watch_that_breaks_off_is_resumed_at_once",
            Watching{ResourceVersion("10"), kNow - 1s, Watching::Progress::accepted},
            failed(Reason::disconnected), "| watch from 10 by 60"},
        Row{"a_watch_that_breaks_off_at_once_is_waited_for",
            Watching{ResourceVersion("10"), kNow - 999ms, Watching::Progress::shown},
            failed(Reason::disconnected), "failure(disconnected) | wait 0.8+0.8"},
        Row{"a_watch_that_is_forbidden_is_tried_again", kWatching, failed(Reason::forbidden),
            "failure(forbidden) | wait 0.8+0"},
        Row{"422_on_an_ordinary_watch_says_nothing_of_watch_lists", kWatching,
            failed(Reason::invalid), "failure(invalid) | wait 0.8+0.8"},

        Row{"after_the_wait_the_relist_is_tried_again", Waiting{ListAnew{}}, WaitOver{},
            "begin | watch list by 30"},
        Row{"after_the_wait_for_the_server_everything_is_listed",
            Waiting{ListAnew{RelistReason::ahead_of_server}}, WaitOver{},
            "relist(ahead_of_server) begin | watch list by 30"},
        Row{"after_the_wait_the_page_is_read_again", Waiting{ListOn{{.continue_token = "token"}}},
            WaitOver{}, "| page 'token' by 60"},
        Row{"after_the_wait_the_watch_is_resumed", Waiting{WatchFrom{ResourceVersion("10")}},
            WaitOver{}, "| watch from 10 by 60"}),
    [](const auto& info) { return info.param.name; });

// The events of consecutive requests; each step is executed at once.
std::vector<std::string> told(WatchState state, const std::vector<ReflectorEvent>& events) {
  std::vector<std::string> steps;
  for (const ReflectorEvent& event : events) {
    WatchStep step = advance(std::move(state), event, kNow, kPolicy);
    steps.push_back(Describe()(step));
    state = std::move(step.next);
  }
  return steps;
}

// As with an etcd without progress notifications, or a proxy that cuts long answers.
TEST(WatchState, requests_pages_after_failed_watch_lists) {
  for (const ReflectorEvent& end :
       {ReflectorEvent(failed(Reason::internal_error)), ReflectorEvent(Ended{}),
        ReflectorEvent(failed(Reason::disconnected))}) {
    const auto steps = told({.phase = kInitial}, {Accepted{}, end, WaitOver{}, Accepted{}, end,
                                                  WaitOver{}, Accepted{}, end});
    EXPECT_THAT(steps[5], testing::EndsWith("| watch list by 30"));
    EXPECT_EQ(steps.back(), "fallback begin | page '' by 60, pages for a while");
  }
  const auto refused = failed(Reason::too_many_requests);
  EXPECT_THAT(told({.phase = kInitial}, {refused, WaitOver{}, refused, WaitOver{}, refused}).back(),
              testing::HasSubstr("| wait"));
  const auto failure = failed(Reason::internal_error);
  EXPECT_THAT(told({.phase = kInitial},
                   {failure, WaitOver{}, failure, WaitOver{}, end_of_initial_events("9"),
                    failed(Reason::gone), WaitOver{}, failure})
                  .back(),
              testing::HasSubstr("| wait"))
      << "a success resets the count";
}

TEST(WatchState, relists_after_two_empty_watches) {
  for (const ReflectorEvent& end :
       {ReflectorEvent(failed(Reason::deadline_exceeded)),
        ReflectorEvent(failed(Reason::malformed)), ReflectorEvent(Ended{})}) {
    const std::vector<ReflectorEvent> twice = {Accepted{}, end, WaitOver{},
                                               Accepted{}, end, WaitOver{}};
    const auto steps = told({.phase = kWatching}, twice);
    EXPECT_EQ(steps[2], "| watch from 10 by 60");
    EXPECT_EQ(steps.back(), "relist(fruitless) begin | watch list by 30");
    const std::vector<ReflectorEvent> with_news = {
        Accepted{}, end,        WaitOver{}, Accepted{}, bookmark("11"),
        end,        WaitOver{}, Accepted{}, end,        WaitOver{}};
    EXPECT_EQ(told({.phase = kWatching}, with_news).back(), "| watch from 11 by 60");
  }
  const auto cut = failed(Reason::disconnected);
  EXPECT_EQ(told({.phase = kWatching}, {Accepted{}, cut, WaitOver{}, Accepted{}, cut, WaitOver{},
                                        Accepted{}, cut, WaitOver{}})
                .back(),
            "| watch from 10 by 60")
      << "of a bad network; the server's version is as good as before";
}

// Otherwise a cache whose server lists but does not watch would stay as it was.
TEST(WatchState, relists_after_two_refused_watches) {
  for (const Failed& refused :
       {answered(400, Reason::bad_request), answered(403, Reason::forbidden),
        answered(405, Reason::method_not_allowed), answered(503, Reason::service_unavailable)}) {
    const auto steps = told({.phase = kWatching}, {refused, WaitOver{}, refused, WaitOver{}});
    EXPECT_EQ(steps[1], "| watch from 10 by 60");
    EXPECT_THAT(steps.back(), testing::StartsWith("relist(fruitless) begin | "));
  }
  for (const Failed& later :
       {answered(401, Reason::unauthorized), answered(429, Reason::too_many_requests),
        answered(500, Reason::internal_error), failed(Reason::unreachable), failed(Reason::tls),
        failed(Reason::configuration)}) {
    EXPECT_EQ(told({.phase = kWatching}, {later, WaitOver{}, later, WaitOver{}, later, WaitOver{}})
                  .back(),
              "| watch from 10 by 60");
  }
}

// As a real API server does for a version that is no number, which a proxy may have shown.
TEST(WatchState, relists_after_eight_watches_that_fail) {
  const auto failure = answered(500, Reason::internal_error);
  std::vector<ReflectorEvent> events;
  for (int times = 0; times < 8; ++times) events.insert(events.end(), {failure, WaitOver{}});
  const auto steps = told({.phase = kWatching}, events);
  EXPECT_EQ(steps[13], "| watch from 10 by 60");
  EXPECT_EQ(steps.back(), "relist(fruitless) begin | watch list by 30");
}

TEST(WatchState, lists_pages_without_permission_to_watch) {
  const auto refused = answered(403, Reason::forbidden);
  EXPECT_EQ(told({.phase = kWatching}, {refused, WaitOver{}, refused, WaitOver{}}).back(),
            "relist(fruitless) begin | page '' by 60, pages for a while");
}

// It has answered each time.
TEST(WatchState, backs_off_from_server_that_cuts_watch_lists) {
  WatchState state{.phase = kInitial, .failures = 6, .last_failure = kNow};
  state = advance(std::move(state), Accepted{}, kNow, kPolicy).next;
  EXPECT_EQ(Describe()(advance(state, failed(Reason::disconnected), kNow, kPolicy)),
            "failure(disconnected) | wait 30+30");
}

TEST(WatchState, shows_recovery_by_watch_but_not_by_part_of_relist) {
  const Changed change{ResourceVersion("7")};
  EXPECT_FALSE(shows_recovery({.phase = kInitial}, change));
  EXPECT_FALSE(shows_recovery({.phase = kFirstPage}, page("5", "more")));
  EXPECT_FALSE(shows_recovery({.phase = kWatching}, Accepted{}));
  EXPECT_TRUE(shows_recovery({.phase = kWatching}, change));
  EXPECT_TRUE(shows_recovery({.phase = kWatching}, bookmark("12")));
}

TEST(WatchState, restarts_list_after_nine_failures_of_page) {
  std::vector<ReflectorEvent> events;
  for (int i = 0; i < 8; ++i) {
    events.insert(events.end(), {failed(Reason::internal_error), WaitOver{}});
  }
  EXPECT_EQ(told({.phase = kNextPage}, events).back(), "| page 'token' by 60");
  auto again = events;
  again.insert(again.end(), {page("5", "token2"), failed(Reason::internal_error), WaitOver{}});
  EXPECT_EQ(told({.phase = kNextPage}, again).back(), "| page 'token2' by 60");
  events.insert(events.end(), {failed(Reason::internal_error), WaitOver{}});
  EXPECT_EQ(told({.phase = kNextPage}, events).back(),
            "relist(page_expired) begin | watch list by 30");
}

// What it showed before it failed belonged to another snapshot.
TEST(WatchState, restarts_list_when_first_page_is_read_again) {
  EXPECT_EQ(told({.phase = kFirstPage}, {failed(Reason::malformed), WaitOver{}}).back(),
            "begin | page '' by 60");
}

// Otherwise a list that takes longer than a token lives would start over forever.
TEST(WatchState, reads_larger_pages_after_expiry_of_token) {
  WatchState state{.phase = kNextPage, .pages_until = MonoTime::max()};
  const auto expired = failed(Reason::gone);
  EXPECT_EQ(told(state, {expired}).back(),
            "relist(page_expired) begin | page '' of 2000 by 60, pages from now on");
  EXPECT_EQ(told(state, {expired, page("5", "more"), expired, WaitOver{}}).back(),
            "relist(page_expired) begin | page '' of 8000 by 60, pages from now on");
}

TEST(WatchState, resumes_from_last_version) {
  WatchState state{.phase = kWatching};
  state = advance(state, Changed{ResourceVersion("11")}, kNow, kPolicy).next;
  EXPECT_EQ(std::get<Watching>(state.phase).last, ResourceVersion("11"));
  state = advance(state, bookmark("12"), kNow, kPolicy).next;
  EXPECT_EQ(Describe()(advance(state, Ended{}, kNow, kPolicy)), "| watch from 12 by 60");
}

TEST(WatchState, learns_compression_at_end_of_watch_list) {
  WatchState state{.phase = kInitial};
  for (const ReflectorEvent& event :
       {ReflectorEvent(Accepted{Compression::gzip}), ReflectorEvent(Changed{ResourceVersion("7")}),
        ReflectorEvent(bookmark("8"))}) {
    state = advance(state, event, kNow, kPolicy).next;
  }
  EXPECT_EQ(Describe()(advance(state, end_of_initial_events("9"), kNow, kPolicy)),
            "end@9 | watch from 9 by 60");
}

TEST(WatchState, repeats_failed_request_after_wait) {
  struct Case {
    WatchPhase phase;
    Reason reason;
    std::string expected;
  };
  for (const Case& c : {
           Case{kInitial, Reason::unreachable, "begin | watch list by 30"},
           Case{kNextPage, Reason::unreachable, "| page 'token' by 60"},
           Case{kWatching, Reason::unreachable, "| watch from 10 by 60"},
           Case{kWatching, Reason::resource_version_too_large,
                "relist(ahead_of_server) begin | watch list by 30"},
       }) {
    const WatchState state{.phase = c.phase};
    const auto waiting = advance(state, failed(c.reason), kNow, kPolicy).next;
    EXPECT_EQ(Describe()(advance(waiting, WaitOver{}, kNow, kPolicy)), c.expected);
  }
}

TEST(WatchState, remembers_pages_for_next_relist) {
  WatchState state{.phase = kInitial};
  state = advance(state, failed(Reason::invalid), kNow, kPolicy).next;
  state = advance(state, page("5"), kNow, kPolicy).next;
  EXPECT_EQ(Describe()(advance(state, failed(Reason::gone), kNow, kPolicy)),
            "relist(expired) begin | page '' by 60, pages from now on");
}

TEST(WatchState, retries_stalled_watch_list_after_an_hour) {
  WatchState state{.phase = kInitial};
  state = advance(std::move(state), failed(Reason::deadline_exceeded), kNow, kPolicy).next;
  const auto relist_after = [&](Duration time) {
    state.phase = kWatching;
    return Describe()(advance(state, failed(Reason::gone), kNow + time, kPolicy));
  };
  EXPECT_THAT(relist_after(59min), testing::HasSubstr("| page ''"));
  EXPECT_THAT(relist_after(61min), testing::HasSubstr("| watch list"));
}

TEST(WatchState, resets_backoff_when_server_answers) {
  WatchState state{.phase = kWatching};
  std::vector<double> waits;
  for (const Reason reason :
       {Reason::unreachable, Reason::unreachable, Reason::disconnected, Reason::deadline_exceeded,
        Reason::unreachable, Reason::forbidden, Reason::forbidden, Reason::service_unavailable}) {
    state.phase = kWatching;
    auto step = advance(std::move(state), failed(reason), kNow, kPolicy);
    waits.push_back(seconds(std::get<Wait>(step.request).at_least));
    state = std::move(step.next);
  }
  EXPECT_EQ(waits, (std::vector<double>{0.8, 1.6, 3.2, 4, 4, 0.8, 1.6, 0.8}));
}

TEST(WatchState, doubles_backoff_to_maximum) {
  for (const Reason reason : {Reason::internal_error, Reason::forbidden}) {
    WatchState state{.phase = kWatching};
    std::vector<double> waits;
    for (int i = 0; i < 8; ++i) {
      state.phase = kWatching;
      auto step = advance(std::move(state), failed(reason), kNow, kPolicy);
      waits.push_back(seconds(std::get<Wait>(step.request).at_least));
      state = std::move(step.next);
    }
    EXPECT_EQ(waits, (std::vector<double>{0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30}));
  }
}

TEST(WatchState, resets_backoff_after_two_minutes_without_failure) {
  for (const auto& [pause, expected] : {std::pair{119s, 6.4}, std::pair{120s, 0.8}}) {
    const WatchState state{.phase = kWatching, .failures = 3, .last_failure = kNow - pause};
    const auto step = advance(state, failed(Reason::internal_error), kNow, kPolicy);
    EXPECT_EQ(seconds(std::get<Wait>(step.request).at_least), expected);
  }
}

TEST(WatchState, backs_off_from_server_that_expires_everything) {
  const WatchState state{.phase = kWatching, .failures = 1, .last_failure = kNow - 1s};
  EXPECT_EQ(Describe()(advance(state, failed(Reason::gone), kNow, kPolicy)), "| wait 1.6+1.6");
}

TEST(WatchState, relists_at_once_when_watch_expires_after_missing_permission) {
  const WatchState state{
      .phase = kWatching, .failures = 7, .last = Hindrance::denied, .last_failure = kNow - 90s};
  const auto step = advance(state, failed(Reason::gone), kNow, kPolicy);
  EXPECT_TRUE(std::holds_alternative<OpenWatchList>(step.request));
}

// Which events may follow: state × event. Everything else is a broken invariant.
TEST(WatchState, asserts_that_no_other_event_occurs) {
  const std::vector<std::pair<WatchPhase, std::string>> phases = {
      {Idle{}, "S......."},
      {kInitial, ".ACB.EF"},
      {kNextPage, "....P.F"},
      {kWatching, ".ACB.EF"},
      {Waiting{ListAnew{}}, ".......W"},
  };
  const std::vector<std::pair<char, ReflectorEvent>> events = {{'S', Started{}},
                                                               {'A', Accepted{}},
                                                               {'C', Changed{}},
                                                               {'B', bookmark("1")},
                                                               {'P', page("1")},
                                                               {'E', Ended{}},
                                                               {'F', failed(Reason::disconnected)},
                                                               {'W', WaitOver{}}};
  ASSERT_EQ(events.size(), std::variant_size_v<ReflectorEvent>);
  ASSERT_EQ(phases.size(), std::variant_size_v<WatchPhase>);
  for (const auto& [phase, allowed] : phases) {
    for (const auto& [letter, event] : events) {
      const WatchState state{.phase = phase};
      if (allowed.contains(letter)) {
        EXPECT_NO_THROW(advance(state, event, kNow, kPolicy)) << phase.index() << letter;
      } else {
        EXPECT_THROW(advance(state, event, kNow, kPolicy), InvariantViolation)
            << phase.index() << letter;
      }
    }
  }
}

}  // namespace
}  // namespace dcm::informers
