#include "client/leader_election/election.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "runtime/time_words.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::leader_election {
namespace {

using std::chrono::seconds;

constexpr seconds kReleasedDuration(1);
constexpr seconds kLeaseDurationMax(std::numeric_limits<std::int32_t>::max());

Duration part_of(Duration whole, double share) {
  return Duration(static_cast<Duration::rep>(static_cast<double>(whole.count()) * share));
}

MonoTime next_attempt(const Candidate& self, const Answer& answer) {
  return answer.now + part_of(self.timing.retry_period, 1 + kJitterMax * answer.jitter);
}

// The state after an orderly release. If the holder was cleared in another way, the holder may not
// know.
bool is_released(const LeaseSpec& spec) {
  return spec.holder.empty() && spec.duration == kReleasedDuration;
}

// A shortened duration must not shorten what the holder relies on; a longer one is honoured.
MonoTime expiry(const Following::Seen& seen, const Candidate& self) {
  const Duration said = seen.spec.duration.value_or(seconds(0));
  return seen.since + std::max(said, self.timing.lease_duration);
}

bool is_free(const Following::Seen& seen, const Candidate& self, MonoTime now) {
  return is_released(seen.spec) || seen.spec.holder == self.identity || expiry(seen, self) <= now;
}

// Whether the write, or another client, may have changed the lease.
bool must_read_after(const runtime::Error& error) {
  return runtime::is_conflict(error) || runtime::is_object_gone(error) ||
         error.reason == runtime::Reason::already_exists || runtime::is_outcome_unknown(error);
}

// Later than the last renewal, even after our clock was put back: others treat a lease with
// unchanged times as not renewed.
std::string renewal_after(const LeaseSpec& last, runtime::WallTime now) {
  const auto before = runtime::parse_micro_timestamp(last.renew_time);
  if (before && now <= *before && *before < runtime::WallTime::max()) {
    now = *before + std::chrono::microseconds(1);
  }
  return runtime::micro_timestamp(now);
}

// Acquires the lease, or renews it.
Write acquire_or_renew(const std::optional<LeaseSpec>& known, const Candidate& self, Moment now) {
  LeaseSpec spec;
  spec.holder = self.identity;
  // Never less than the duration that we rely on.
  spec.duration = std::chrono::ceil<seconds>(self.timing.lease_duration);
  spec.renew_time = runtime::micro_timestamp(now.wall);
  spec.acquire_time = spec.renew_time;
  if (!known) return {Write::Kind::create, std::move(spec)};
  const bool is_ours = known->holder == self.identity;
  if (is_ours) spec.renew_time = renewal_after(*known, now.wall);
  if (is_ours && !known->acquire_time.empty()) spec.acquire_time = known->acquire_time;
  // Anyone who may write the lease may have set the largest number that the API takes.
  spec.transitions = std::min<std::int64_t>(known->transitions + (is_ours ? 0 : 1),
                                            std::numeric_limits<std::int32_t>::max());
  return {Write::Kind::update, std::move(spec)};
}

// Releases as client-go does: without a holder, and with a duration of one second.
Write release(const LeaseSpec& known, Moment now) {
  LeaseSpec spec = known;
  spec.holder.clear();
  spec.duration = kReleasedDuration;
  spec.renew_time = runtime::micro_timestamp(now.wall);
  spec.acquire_time = spec.renew_time;
  return {Write::Kind::update, std::move(spec)};
}

MonoTime stop_time(const Leading& state, const Candidate& self) {
  return state.renewed_at + self.timing.renew_deadline;
}

Ended lost(std::string why) {
  return {Ended::How::lost, std::move(why)};
}

// A leader looks at the clock when its time runs out. `late`: that it came to it so much later.
std::string why_not_renewed(Duration late) {
  const std::string why = "it could not be renewed in time";
  if (late < seconds(1)) return why;
  return fmt::format("{}: the thread stood still for {} (a blocking call, or the machine paused)",
                     why, runtime::in_words(late));
}

Leading leading(const LeaseSpec& written, const Candidate& self, MonoTime sent) {
  return {.own = written,
          .known = written,
          .renewed_at = sent,
          .turn = Leading::Turn::renew,
          .next_try = sent + self.timing.retry_period};
}

// ---- next_step ----------------------------------------------------------------------------------

Step next(const Following& state, const Candidate& self, Moment now) {
  if (now.mono < state.next_try) return Wait{state.next_try};
  if (state.turn == Following::Turn::read) return Read{};
  return acquire_or_renew(state.seen ? std::optional(state.seen->spec) : std::nullopt, self, now);
}

Step next(const Leading& state, const Candidate& self, Moment now) {
  const MonoTime stop = stop_time(state, self);
  if (now.mono >= stop) return lost(why_not_renewed(now.mono - stop));
  if (now.mono < state.next_try) return Wait{std::min(state.next_try, stop)};
  if (state.turn == Leading::Turn::read) return Read{};
  return acquire_or_renew(state.known, self, now);
}

Step next(const Releasing& state, const Candidate& /*self*/, Moment now) {
  if (state.attempts_left == 0) return Ended{Ended::How::released, {}};
  if (state.turn == Releasing::Turn::read) return Read{};
  return release(*state.known, now);
}

Step next(const Ended& state, const Candidate& /*self*/, Moment /*now*/) {
  return state;
}

// ---- observe_read -------------------------------------------------------------------------------

State after_read(Following state, const Candidate& self, const Answer& answer) {
  state.turn = Following::Turn::read;
  state.next_try = next_attempt(self, answer);
  if (!answer.lease) return state;
  const std::optional<LeaseSpec>& found = *answer.lease;
  if (found && (!state.seen || state.seen->spec != *found)) {
    state.seen = Following::Seen{*found, answer.now};
  }
  if (state.seen && !is_free(*state.seen, self, answer.now)) {
    state.next_try = std::min(state.next_try, expiry(*state.seen, self));
    return state;
  }
  if (!found) state.seen.reset();
  state.turn = Following::Turn::acquire;
  state.next_try = answer.now;
  return state;
}

State after_read(Leading state, const Candidate& self, const Answer& answer) {
  if (!answer.lease) {
    state.next_try = std::max(answer.now, answer.sent + self.timing.retry_period);
    return state;
  }
  const std::optional<LeaseSpec>& found = *answer.lease;
  const bool was_cleared =
      found && found->holder.empty() && found->transitions == state.own.transitions;
  if (found && found->holder != self.identity && !was_cleared) {
    return lost(found->holder.empty() ? "another candidate has held it meanwhile"
                                      : fmt::format("{} holds it", found->holder));
  }
  state.known = found;
  state.turn = Leading::Turn::renew_what_was_read;
  state.next_try = answer.now;
  return state;
}

State after_read(Releasing state, const Candidate& self, const Answer& answer) {
  if (!answer.lease) {
    --state.attempts_left;
    return state;
  }
  const std::optional<LeaseSpec>& found = *answer.lease;
  if (!found || found->holder != self.identity) return Ended{Ended::How::released, {}};
  state.known = found;
  state.turn = Releasing::Turn::release;
  return state;
}

State after_read(Ended state, const Candidate& /*self*/, const Answer& /*answer*/) {
  return state;
}

// ---- observe_write ------------------------------------------------------------------------------

State after_write(Following state, const Candidate& self, const Answer& answer) {
  if (answer.lease) return leading(**answer.lease, self, answer.sent);
  if (runtime::is_outcome_unknown(answer.lease.error())) state.may_be_holder = true;
  state.turn = Following::Turn::read;
  state.next_try = next_attempt(self, answer);
  return state;
}

State after_write(Leading state, const Candidate& self, const Answer& answer) {
  if (answer.lease) return leading(**answer.lease, self, answer.sent);
  const bool was_quick = state.turn == Leading::Turn::renew;
  const bool must_read = must_read_after(answer.lease.error());
  state.turn = must_read ? Leading::Turn::read : Leading::Turn::renew;
  const MonoTime later = std::max(answer.now, answer.sent + self.timing.retry_period);
  state.next_try = must_read && was_quick ? answer.now : later;
  return state;
}

State after_write(Releasing state, const Candidate& /*self*/, const Answer& answer) {
  if (answer.lease) return Ended{Ended::How::released, {}};
  --state.attempts_left;
  if (must_read_after(answer.lease.error())) state.turn = Releasing::Turn::read;
  return state;
}

State after_write(Ended state, const Candidate& /*self*/, const Answer& /*answer*/) {
  return state;
}

}  // namespace

std::string why_invalid(const Timing& timing) {
  if (timing.retry_period <= Duration::zero()) return "the retry period must be above 0";
  if (timing.renew_deadline <= part_of(timing.retry_period, kJitterMax)) {
    return fmt::format("the renew deadline must be longer than {} retry periods", kJitterMax);
  }
  if (timing.lease_duration <= timing.renew_deadline) {
    return "the lease duration must be longer than the renew deadline";
  }
  if (timing.lease_duration > kLeaseDurationMax) {
    return fmt::format("the lease duration must be at most {}s", kLeaseDurationMax.count());
  }
  return {};
}

Step next_step(const State& state, const Candidate& self, Moment now) {
  return std::visit([&](const auto& it) { return next(it, self, now); }, state);
}

State observe_read(State state, const Candidate& self, const Answer& answer) {
  return std::visit([&](auto& it) { return after_read(std::move(it), self, answer); }, state);
}

State observe_write(State state, const Candidate& self, const Answer& answer) {
  return std::visit([&](auto& it) { return after_write(std::move(it), self, answer); }, state);
}

State begin_release(State state) {
  if (const auto* leading = std::get_if<Leading>(&state)) {
    const bool is_known = leading->turn != Leading::Turn::read && leading->known &&
                          leading->known->holder == leading->own.holder;
    return Releasing{leading->known, is_known ? Releasing::Turn::release : Releasing::Turn::read};
  }
  const auto* following = std::get_if<Following>(&state);
  if (following == nullptr) return state;
  if (following->may_be_holder) return Releasing{std::nullopt, Releasing::Turn::read};
  return Ended{Ended::How::released, {}};
}

std::optional<MonoTime> may_write_until(const State& state, const Candidate& self) {
  const auto* leading = std::get_if<Leading>(&state);
  return leading == nullptr ? std::nullopt : std::optional(stop_time(*leading, self));
}

bool is_held_by_other(const State& state, const Candidate& self, MonoTime now) {
  const auto* following = std::get_if<Following>(&state);
  return following != nullptr && following->seen && !is_free(*following->seen, self, now);
}

MonoTime request_deadline(const State& state, const Candidate& self, MonoTime now) {
  // A leader needs time for a second attempt, and its time runs from the request that acquires the
  // lease. A candidate that only reads can wait for a connection that opens slowly.
  const auto* following = std::get_if<Following>(&state);
  const bool is_patient = following != nullptr && following->turn == Following::Turn::read;
  const MonoTime own = now + self.timing.renew_deadline / (is_patient ? 1 : 2);
  return std::min(own, may_write_until(state, self).value_or(own));
}

}  // namespace dcm::leader_election
