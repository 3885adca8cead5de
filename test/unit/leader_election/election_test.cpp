// The rules, one by one: what is known about the lease, what happens, and what follows.
#include "client/leader_election/election.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/leader_election/identity.hpp"

namespace dcm::leader_election {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;
using testing::HasSubstr;
using testing::MatchesRegex;

// Lease 15 s, deadline 10 s, retry 2 s.
const Candidate kMe{"me", {}};
constexpr double kHalf = 0.5;  // of the jitter: an attempt after 2 s * (1 + 1.2 / 2) = 3.2 s

MonoTime at(Duration since_start) {
  return MonoTime(1000s + since_start);
}
Moment moment(Duration since_start) {
  return {at(since_start), runtime::WallTime(std::chrono::days(20'000)) + since_start};
}

LeaseSpec held_by(const std::string& holder, std::int64_t transitions = 3) {
  return {.holder = holder,
          .duration = 15s,
          .acquire_time = "2024-10-04T00:00:00.000000Z",
          .renew_time = "2024-10-04T00:00:00.000000Z",
          .transitions = transitions};
}

LeaseSpec released() {
  LeaseSpec spec = held_by("");
  spec.duration = 1s;
  return spec;
}

Answer found(std::optional<LeaseSpec> lease, Duration sent, Duration now) {
  return {std::move(lease), at(sent), at(now), kHalf};
}
Answer failed(Reason reason, Duration sent, Duration now) {
  return {runtime::fail(reason, "as the row says"), at(sent), at(now), kHalf};
}

Following saw(const LeaseSpec& spec, Duration when) {
  return {.seen = Following::Seen{spec, at(when)}};
}
Leading leading_since(Duration when) {
  return {.own = held_by("me"),
          .known = held_by("me"),
          .renewed_at = at(when),
          .turn = Leading::Turn::renew,
          .next_try = at(when + 2s)};
}

// The action of a state at a time, in a word.
std::string act(const State& state, Duration now, const Candidate& self = kMe) {
  const Step step = next_step(state, self, moment(now));
  if (const auto* wait = std::get_if<Wait>(&step)) {
    return "wait until " +
           std::to_string(
               std::chrono::duration_cast<std::chrono::milliseconds>(wait->until - at(0s)).count());
  }
  if (const auto* write = std::get_if<Write>(&step)) {
    return write->kind == Write::Kind::create ? "create" : "update";
  }
  if (const auto* ended = std::get_if<Ended>(&step)) {
    return ended->how == Ended::How::lost ? "lost" : "released";
  }
  return "read";
}

// ---- a follower reads ---------------------------------------------------------------------------

struct ReadRow {
  const char* name;
  Following before;
  Answer answer;
  const char* then;  // what it does at the time of the answer
};

TEST(Following, decides_by_what_it_reads) {
  const LeaseSpec other = held_by("other");
  LeaseSpec renewed = other;
  renewed.renew_time = "2024-10-04T00:00:02.000000Z";
  LeaseSpec short_lived = other;
  short_lived.duration = 1s;
  LeaseSpec long_lived = other;
  long_lived.duration = 60s;
  LeaseSpec silent = other;
  silent.duration.reset();
  const ReadRow rows[] = {
      {"a lease that is not there is made", {}, found(std::nullopt, 0s, 0s), "create"},
      {"a lease that was given back is taken", {}, found(released(), 0s, 0s), "update"},
      {"a lease whose holder was cleared by hand may still have one",
       {},
       found(held_by(""), 0s, 0s),
       "wait until 3200"},
      {"and is taken when that one's time is over", saw(held_by(""), 0s),
       found(held_by(""), 15s, 15s), "update"},
      {"a lease that was never seen before is left alone, however old its times are",
       {},
       found(other, 0s, 0s),
       "wait until 3200"},
      {"a lease that has not changed is left alone until its time is over", saw(other, 0s),
       found(other, 5s, 5s), "wait until 8200"},
      {"the next attempt comes when its time is over, not later", saw(other, 0s),
       found(other, 13s, 13s), "wait until 15000"},
      {"one that has not changed for its whole time is taken", saw(other, 0s),
       found(other, 15s, 15s), "update"},
      {"a renewal restarts its time", saw(other, 0s), found(renewed, 20s, 20s), "wait until 23200"},
      {"its time starts when it is seen, not when it was asked for", saw(other, 0s),
       found(renewed, 1s, 4s), "wait until 7200"},
      {"a new holder restarts the time", saw(other, 0s), found(held_by("third"), 20s, 20s),
       "wait until 23200"},
      {"a duration that was edited down does not free it", saw(short_lived, 0s),
       found(short_lived, 10s, 10s), "wait until 13200"},
      {"a holder that reckons with longer is left alone for longer", saw(long_lived, 0s),
       found(long_lived, 20s, 20s), "wait until 23200"},
      {"without a duration, our own counts", saw(silent, 0s), found(silent, 14s, 14s),
       "wait until 15000"},
      {"without a duration, it is taken after our own", saw(silent, 0s), found(silent, 15s, 15s),
       "update"},
      {"one that was deleted under a holder is left alone until that one's time is over",
       saw(other, 0s), found(std::nullopt, 5s, 5s), "wait until 8200"},
      {"one that was deleted is made when the holder's time is over", saw(other, 0s),
       found(std::nullopt, 15s, 15s), "create"},
      {"one that is ours after all (the answer was lost) is kept",
       {},
       found(held_by("me"), 0s, 0s),
       "update"},
      {"a failure is no reason to take it", saw(other, 0s),
       failed(Reason::internal_error, 16s, 16s), "wait until 19200"},
      {"a permission that is missing is asked for again",
       {},
       failed(Reason::forbidden, 0s, 0s),
       "wait until 3200"},
  };
  for (const ReadRow& row : rows) {
    const State after = observe_read(row.before, kMe, row.answer);
    EXPECT_EQ(act(after, row.answer.now - at(0s)), row.then) << row.name;
    EXPECT_EQ(may_write_until(after, kMe), std::nullopt) << row.name;
  }
}

TEST(Following, reads_right_before_taking_lease) {
  // The process was paused for a minute: its earlier knowledge means nothing now.
  EXPECT_EQ(act(saw(held_by("other"), 0s), 60s), "read");
}

TEST(Following, waits_for_next_try) {
  Following state = saw(held_by("other"), 0s);
  state.next_try = at(3s);
  EXPECT_EQ(act(state, 2s), "wait until 3000");
  EXPECT_EQ(act(state, 3s), "read");
}

// ---- what is written ----------------------------------------------------------------------------

LeaseSpec written(const State& state, Duration now) {
  return std::get<Write>(next_step(state, kMe, moment(now))).spec;
}

TEST(Hold, starts_without_transitions) {
  const State state = observe_read(Following{}, kMe, found(std::nullopt, 0s, 0s));
  const LeaseSpec spec = written(state, 1s);
  EXPECT_EQ(spec, (LeaseSpec{.holder = "me",
                             .duration = 15s,
                             .acquire_time = "2024-10-04T00:00:01.000000Z",
                             .renew_time = "2024-10-04T00:00:01.000000Z",
                             .transitions = 0}));
}

TEST(Hold, counts_transition_on_takeover_without_previous_holder) {
  for (const char* holder : {"", "other"}) {
    const State state =
        observe_read(saw(held_by(holder), 0s), kMe, found(held_by(holder), 15s, 15s));
    const LeaseSpec spec = written(state, 15s);
    EXPECT_EQ(spec.transitions, 4) << holder;
    EXPECT_EQ(spec.acquire_time, "2024-10-04T00:00:15.000000Z") << holder;
  }
}

TEST(Hold, counts_transitions_up_to_largest_number_of_api) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
  LeaseSpec known = held_by("other");
  known.transitions = kLargest;
  const State state = observe_read(saw(known, 0s), kMe, found(known, 15s, 15s));
  EXPECT_EQ(written(state, 15s).transitions, kLargest);
}

TEST(Hold, changes_only_time_on_renewal) {
  LeaseSpec expected = held_by("me");
  expected.renew_time = "2024-10-04T00:00:02.000000Z";
  EXPECT_EQ(written(leading_since(0s), 2s), expected);
}

TEST(Hold, keeps_renewal_time_increasing_when_clock_is_put_back) {
  Leading state = leading_since(0s);
  state.known->renew_time = "2024-10-04T00:00:07.000009Z";
  EXPECT_EQ(written(state, 2s).renew_time, "2024-10-04T00:00:07.000010Z");
  state.known->renew_time = "2024-10-04T00:00:02.000000Z";
  EXPECT_EQ(written(state, 2s).renew_time, "2024-10-04T00:00:02.000001Z");
}

TEST(Hold, replaces_invalid_renewal_time) {
  for (const char* said : {"", "yesterday", "9999-12-31T23:59:59.999999Z"}) {
    Leading state = leading_since(0s);
    state.known->renew_time = said;
    EXPECT_EQ(written(state, 2s).renew_time, "2024-10-04T00:00:02.000000Z") << said;
  }
}

TEST(Hold, rounds_duration_up_to_whole_seconds) {
  const Candidate quick{"me", {1500ms, 1s, 100ms}};
  const State state = observe_read(Following{}, quick, found(std::nullopt, 0s, 0s));
  EXPECT_EQ(std::get<Write>(next_step(state, quick, moment(0s))).spec.duration, 2s);
}

// ---- a follower writes --------------------------------------------------------------------------

Following about_to_take() {
  return std::get<Following>(observe_read(Following{}, kMe, found(released(), 0s, 0s)));
}

TEST(Following, leads_from_sending_time_after_taking_lease) {
  const State state = observe_write(about_to_take(), kMe, found(held_by("me"), 1s, 4s));
  EXPECT_EQ(may_write_until(state, kMe), at(11s));
  EXPECT_EQ(act(state, 3s), "update");
  EXPECT_EQ(act(state, 2s), "wait until 3000");
}

TEST(Following, reads_again_after_conflict) {
  for (const Reason reason : {Reason::conflict, Reason::already_exists, Reason::deadline_exceeded,
                              Reason::too_many_requests}) {
    const State state = observe_write(about_to_take(), kMe, failed(reason, 0s, 1s));
    EXPECT_EQ(act(state, 1s), "wait until 4200") << to_string(reason);
    EXPECT_EQ(act(state, 5s), "read") << to_string(reason);
    EXPECT_EQ(may_write_until(state, kMe), std::nullopt) << to_string(reason);
  }
}

// ---- a leader -----------------------------------------------------------------------------------

struct LeaderRow {
  const char* name;
  Reason reason;
  const char* then;   // at 3 s, when the answer to the renewal of 2 s comes
  const char* later;  // at 4 s
};

TEST(Leading, continues_after_failed_renewal) {
  const LeaderRow rows[] = {
      {"somebody has edited the lease: look at it, at once", Reason::conflict, "read", "read"},
      {"it is not there: look, at once", Reason::object_not_found, "read", "read"},
      {"an answer was lost: look, at once", Reason::disconnected, "read", "read"},
      {"no answer in time: look, at once", Reason::deadline_exceeded, "read", "read"},
      {"the server fell over: look, at once", Reason::internal_error, "read", "read"},
      {"the server is busy: retry later", Reason::too_many_requests, "wait until 4000", "update"},
      {"the server is unreachable: retry later", Reason::unreachable, "wait until 4000", "update"},
      {"the permission is gone: retry later", Reason::forbidden, "wait until 4000", "update"},
  };
  for (const LeaderRow& row : rows) {
    const State state = observe_write(leading_since(0s), kMe, failed(row.reason, 2s, 3s));
    EXPECT_EQ(act(state, 3s), row.then) << row.name;
    EXPECT_EQ(act(state, 4s), row.later) << row.name;
    EXPECT_EQ(may_write_until(state, kMe), at(10s)) << row.name;
    EXPECT_EQ(act(state, 10s), "lost") << row.name;
  }
}

State reading_leader() {
  return observe_write(leading_since(0s), kMe, failed(Reason::conflict, 2s, 2s));
}

TEST(Leading, decides_by_lease_after_failure) {
  LeaseSpec edited = held_by("me", 7);
  edited.duration = 1s;
  struct Row {
    const char* name;
    std::optional<LeaseSpec> lease;
    const char* then;
  };
  const Row rows[] = {
      {"still ours", held_by("me"), "update"},
      {"still ours, but edited", edited, "update"},
      {"not there: made again", std::nullopt, "create"},
      {"cleared by somebody: taken again", held_by(""), "update"},
      {"held by another", held_by("other", 4), "lost"},
      {"held by another, who did not count", held_by("other"), "lost"},
      {"taken and released by another meanwhile", held_by("", 4), "lost"},
  };
  for (const Row& row : rows) {
    const State state = observe_read(reading_leader(), kMe, found(row.lease, 2s, 3s));
    EXPECT_EQ(act(state, 3s), row.then) << row.name;
  }
}

TEST(Leading, corrects_edited_lease) {
  LeaseSpec edited = held_by("me", 7);
  edited.duration = 1s;
  const State state = observe_read(reading_leader(), kMe, found(edited, 2s, 3s));
  EXPECT_EQ(written(state, 3s).duration, 15s);
  EXPECT_EQ(written(state, 3s).transitions, 7);
}

TEST(Leading, names_holder_of_lease) {
  const State state = observe_read(reading_leader(), kMe, found(held_by("other", 4), 2s, 3s));
  EXPECT_THAT(std::get<Ended>(state).why, HasSubstr("other"));
}

TEST(Leading, backs_off_after_repeated_conflicts) {
  State state = observe_read(reading_leader(), kMe, found(held_by("me"), 2s, 3s));
  state = observe_write(state, kMe, failed(Reason::conflict, 3s, 3s));
  EXPECT_EQ(act(state, 3s), "wait until 5000");
  EXPECT_EQ(act(state, 5s), "read");
}

TEST(Leading, retries_failed_read_until_deadline) {
  State state = reading_leader();
  for (const auto now : {2s, 4s, 6s, 8s}) {
    EXPECT_EQ(act(state, now), "read");
    state = observe_read(state, kMe, failed(Reason::unreachable, now, now));
  }
  EXPECT_EQ(act(state, 9s), "wait until 10000");
  EXPECT_EQ(act(state, 10s), "lost");
}

TEST(Leading, ends_after_sleeping_past_deadline) {
  EXPECT_EQ(act(leading_since(0s), 9s), "update");
  EXPECT_EQ(act(leading_since(0s), 10s), "lost");
  EXPECT_EQ(act(leading_since(0s), 3600s), "lost");
}

TEST(Leading, says_for_how_long_thread_stood_still) {
  const auto why = [](Duration now) {
    return std::get<Ended>(next_step(leading_since(0s), kMe, moment(now))).why;
  };
  EXPECT_EQ(why(10s), "it could not be renewed in time");
  EXPECT_EQ(why(38s),
            "it could not be renewed in time: the thread stood still for 28 s (a blocking call, or "
            "the machine paused)");
}

TEST(Leading, counts_late_answer_from_its_sending) {
  const State state = observe_write(leading_since(0s), kMe, found(held_by("me"), 2s, 60s));
  EXPECT_EQ(may_write_until(state, kMe), at(12s));
  EXPECT_EQ(act(state, 60s), "lost");
}

// ---- the way out --------------------------------------------------------------------------------

TEST(Release, returns_lease) {
  const State state = begin_release(leading_since(0s));
  EXPECT_EQ(may_write_until(state, kMe), std::nullopt);
  const LeaseSpec spec = written(state, 1s);
  EXPECT_EQ(spec.holder, "");
  EXPECT_EQ(spec.duration, 1s);
  EXPECT_EQ(spec.transitions, 3);
  EXPECT_EQ(act(observe_write(state, kMe, found(spec, 1s, 1s)), 1s), "released");
}

TEST(Release, does_nothing_without_lease) {
  EXPECT_EQ(act(begin_release(saw(held_by("other"), 0s)), 1s), "released");
}

TEST(Release, reads_first_if_candidate_may_hold_lease) {
  const State unsure =
      observe_write(about_to_take(), kMe, failed(Reason::deadline_exceeded, 0s, 5s));
  const State state = begin_release(unsure);
  EXPECT_EQ(act(state, 5s), "read");
  EXPECT_EQ(act(observe_read(state, kMe, found(held_by("me"), 5s, 5s)), 5s), "update");
  EXPECT_EQ(act(observe_read(state, kMe, found(held_by("other"), 5s, 5s)), 5s), "released");
  EXPECT_EQ(act(observe_read(state, kMe, found(std::nullopt, 5s, 5s)), 5s), "released");
}

TEST(Release, reads_first_if_leader_lost_track) {
  EXPECT_EQ(act(begin_release(reading_leader()), 3s), "read");
}

TEST(Release, respects_edit_of_lease) {
  State state =
      observe_write(begin_release(leading_since(0s)), kMe, failed(Reason::conflict, 1s, 1s));
  EXPECT_EQ(act(state, 1s), "read");
  state = observe_read(state, kMe, found(held_by("me", 9), 1s, 1s));
  EXPECT_EQ(written(state, 1s).transitions, 9);
}

TEST(Release, gives_up_after_two_failures) {
  State state = begin_release(leading_since(0s));
  state = observe_write(state, kMe, failed(Reason::unreachable, 1s, 1s));
  EXPECT_EQ(act(state, 1s), "update");
  state = observe_write(state, kMe, failed(Reason::unreachable, 1s, 1s));
  EXPECT_EQ(act(state, 1s), "released");
}

TEST(Ended, remains_ended) {
  const State lost = Ended{Ended::How::lost, "why"};
  EXPECT_EQ(act(begin_release(lost), 0s), "lost");
  EXPECT_EQ(act(observe_read(lost, kMe, found(held_by("me"), 0s, 0s)), 0s), "lost");
  EXPECT_EQ(act(observe_write(lost, kMe, found(held_by("me"), 0s, 0s)), 0s), "lost");
}

// ---- bounds -------------------------------------------------------------------------------------

TEST(RequestDeadline, leaves_time_for_second_attempt_before_fence) {
  EXPECT_EQ(request_deadline(Following{.seen = {}, .turn = Following::Turn::acquire}, kMe, at(0s)),
            at(5s));
  EXPECT_EQ(request_deadline(leading_since(0s), kMe, at(2s)), at(7s));
  EXPECT_EQ(request_deadline(leading_since(0s), kMe, at(8s)), at(10s));
}

// A name server that does not answer takes 5 s, until the system asks the next one.
TEST(RequestDeadline, leaves_time_to_connect_before_candidate_leads) {
  EXPECT_EQ(request_deadline(Following{}, kMe, at(0s)), at(10s));
}

TEST(Timing, rejects_inconsistent_durations) {
  EXPECT_EQ(why_invalid({}), "");
  EXPECT_EQ(why_invalid({4s, 3s, 1s}), "");
  EXPECT_THAT(why_invalid({10s, 10s, 2s}), HasSubstr("lease duration"));
  EXPECT_THAT(why_invalid({15s, 2400ms, 2s}), HasSubstr("renew deadline"));
  EXPECT_THAT(why_invalid({15s, 10s, 0s}), HasSubstr("retry period"));
  EXPECT_THAT(why_invalid({1'000'000h, 10s, 2s}), HasSubstr("at most 2147483647s"));
}

TEST(Identity, combines_host_and_fresh_uuid) {
  runtime::Rng rng(1);
  const std::string first = make_identity("node-1", rng);
  EXPECT_THAT(first, MatchesRegex("node-1_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                  "[0-9a-f]{12}"));
  EXPECT_NE(make_identity("node-1", rng), first);
}

}  // namespace
}  // namespace dcm::leader_election
