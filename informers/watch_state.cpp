#include "informers/watch_state.hpp"

#include <algorithm>
#include <concepts>
#include <source_location>
#include <utility>

#include "runtime/assert.hpp"
#include "runtime/backoff.hpp"
#include "runtime/overloaded.hpp"

namespace dcm::informers {
namespace {

using runtime::Error;
using runtime::Overloaded;
using runtime::Reason;
using Progress = Watching::Progress;

// Needs outside help: an operator, or an API that is installed later.
bool is_denied(const Error& error) {
  switch (error.reason) {
    case Reason::unauthorized:
    case Reason::forbidden:
    case Reason::not_served:
    case Reason::method_not_allowed:
      return true;
    default:
      return false;
  }
}

// No server has answered.
Hindrance hindrance(const Error& error) {
  const bool is_unanswered = error.reason == Reason::unreachable ||
                             error.reason == Reason::disconnected ||
                             error.reason == Reason::deadline_exceeded;
  if (is_unanswered) return Hindrance::unanswered;
  return is_denied(error) ? Hindrance::denied : Hindrance::server;
}

// Server-side; may persist.
bool is_the_servers(const Error& error) {
  return hindrance(error) == Hindrance::server && !is_expired(error) &&
         error.reason != Reason::too_many_requests;
}

// Whether the server has answered that it opens no watch: it may accept a list. One that fails
// (500) or is busy (429) is asked again first.
bool is_watch_refused(const Error& error) {
  return error.http_status && error.reason != Reason::unauthorized &&
         error.reason != Reason::too_many_requests && error.reason != Reason::internal_error;
}

// A server that knows the field but not the feature answers 422.
bool is_watch_list_refused(const Error& error) {
  return error.reason == Reason::invalid || error.reason == Reason::bad_request;
}

template <class T, class... Listed>
concept OneOf = (std::same_as<T, Listed> || ...);

// One step: collects effects while it changes the state, and ends with a request.
class Step {
 public:
  Step(WatchState state, MonoTime now, const WatchPolicy& policy)
      : state_(std::move(state)), now_(now), policy_(policy) {}

  // By phase and event.
  WatchStep on(Idle, const Started&) { return list_anew({RelistReason::start}); }

  WatchStep on(const AwaitingInitialEvents& phase, const Accepted& accepted) {
    return read_initial(
        {.since = phase.since, .compression = accepted.compression, .is_accepted = true});
  }
  WatchStep on(const AwaitingInitialEvents& phase, const Changed&) { return read_initial(phase); }
  WatchStep on(const AwaitingInitialEvents& phase, const Bookmarked& bookmark) {
    if (!bookmark.is_initial_events_end) return read_initial(phase);
    end_relist(bookmark.resource_version);
    // gzip is worth its time for many objects, but not for single events, each flushed.
    const bool is_worth_leaving = phase.compression == Compression::gzip &&
                                  now_ - phase.since <= policy_.leave_compressed_within;
    if (is_worth_leaving) return open_watch(bookmark.resource_version);
    return read_on({bookmark.resource_version, now_, Progress::shown});
  }
  // The server's cache may have been restarted, or has lost patience with us.
  WatchStep on(const AwaitingInitialEvents&, const Ended&) {
    return after_failed_watch_list(
        {Reason::disconnected, "the server ended the watch list before its end was marked"});
  }
  WatchStep on(const AwaitingInitialEvents& phase, const Failed& failed) {
    const Error& error = failed.error;
    if (is_watch_list_refused(error)) return fall_back(to_string(error));
    if (error.reason == Reason::deadline_exceeded) {
      return fall_back(to_string(error), now_ + policy_.pages_after_a_stall);
    }
    const bool is_cut = phase.is_accepted && error.reason == Reason::disconnected;
    return is_cut || is_the_servers(error) ? after_failed_watch_list(error)
                                           : wait_after(error, ListAnew{});
  }

  WatchStep on(const Listing& phase, const PageRead& read) {
    if (!read.meta.continue_token.empty()) {
      auto next = client::next_page(phase.page, read.objects, read.meta.continue_token);
      return next ? read_page(std::move(*next)) : wait_after(next.error(), ListAnew{});
    }
    end_relist(read.meta.resource_version);
    return open_watch(read.meta.resource_version);
  }
  WatchStep on(const Listing& phase, const Failed& failed) {
    // The list took longer than the server remembers, so the next one has larger pages.
    if (is_expired(failed.error)) {
      state_.first_page = client::first_of_larger_pages(phase.page);
      return relist(RelistReason::page_expired);
    }
    if (failed.error.reason == Reason::body_too_large) {
      if (auto smaller = client::smaller_page(phase.page)) return read_page(std::move(*smaller));
    }
    // The token is invalid for the server, which may have been reset to an earlier state.
    const bool is_refused = failed.error.reason == Reason::bad_request ||
                            failed.error.reason == Reason::resource_version_too_large ||
                            phase.failures >= policy_.page_failures_max;
    if (is_refused && !phase.page.continue_token.empty()) {
      return wait_after(failed.error, ListAnew{RelistReason::page_expired});
    }
    return wait_after(failed.error, ListOn{phase.page, phase.failures + 1});
  }

  WatchStep on(const Watching& phase, const Accepted&) {
    return read_on({phase.last, now_, Progress::accepted});
  }
  WatchStep on(const Watching& phase, const Changed& change) {
    return read_on({change.version, phase.since, Progress::shown});
  }
  WatchStep on(const Watching& phase, const Bookmarked& bookmark) {
    return read_on({bookmark.resource_version, phase.since, Progress::shown});
  }
  WatchStep on(const Watching& phase, const Ended&) {
    const Duration lasted = now_ - phase.since;
    if (lasted >= policy_.short_watch) return open_watch(phase.last);
    if (phase.progress == Progress::shown) {
      return finish(Waiting{WatchFrom{phase.last}},
                    Wait{policy_.short_watch - lasted, Duration::zero()});
    }
    return after_fruitless_watch({Reason::disconnected, "the server ended the watch at once"},
                                 phase.last);
  }
  WatchStep on(const Watching& phase, const Failed& failed) {
    if (is_expired(failed.error)) return relist(RelistReason::expired);
    if (failed.error.reason == Reason::resource_version_too_large) {
      return wait_after(failed.error, ListAnew{RelistReason::ahead_of_server});
    }
    // Cut by a proxy, say. As in client-go, a watch that worked is resumed at once.
    const bool is_accepted = phase.progress != Progress::requested;
    const bool has_worked = is_accepted && now_ - phase.since >= policy_.short_watch;
    if (has_worked && failed.error.reason == Reason::disconnected) return open_watch(phase.last);
    const bool may_be_the_servers =
        is_the_servers(failed.error) || failed.error.reason == Reason::deadline_exceeded;
    const bool may_persist = is_accepted ? may_be_the_servers : is_watch_refused(failed.error);
    if (phase.progress != Progress::shown && may_persist) {
      return after_fruitless_watch(failed.error, phase.last);
    }
    if (failed.error.reason == Reason::internal_error && !is_accepted) {
      return after_fruitless_watch(failed.error, phase.last, policy_.failed_watches_max);
    }
    return wait_after(failed.error, WatchFrom{phase.last});
  }

  WatchStep on(const Waiting& phase, const WaitOver&) {
    return std::visit(
        Overloaded{
            [this](const ListAnew& then) { return list_anew(then); },
            [this](const ListOn& then) { return read_page(then.page, then.failures); },
            [this](const WatchFrom& then) { return open_watch(then.version); },
        },
        phase.then);
  }

  // Impossible combinations: no request of the phase ends like this.
  template <OneOf<Accepted, Changed, Bookmarked, PageRead, Ended, Failed, WaitOver> Event>
  WatchStep on(const Idle&, const Event&) {
    cannot_happen();
  }
  template <OneOf<Started, PageRead, WaitOver> Event>
  WatchStep on(const AwaitingInitialEvents&, const Event&) {
    cannot_happen();
  }
  template <OneOf<Started, Accepted, Changed, Bookmarked, Ended, WaitOver> Event>
  WatchStep on(const Listing&, const Event&) {
    cannot_happen();
  }
  template <OneOf<Started, PageRead, WaitOver> Event>
  WatchStep on(const Watching&, const Event&) {
    cannot_happen();
  }
  template <OneOf<Started, Accepted, Changed, Bookmarked, PageRead, Ended, Failed> Event>
  WatchStep on(const Waiting&, const Event&) {
    cannot_happen();
  }

 private:
  [[noreturn]] static void cannot_happen() {
    runtime::invariant_violated("the event follows from the request of this state",
                                std::source_location::current());
  }

  WatchStep list_anew(const ListAnew& list) {
    if (list.reason) effects_.push_back(CountRelist{*list.reason});
    if (now_ < state_.pages_until) return read_page(state_.first_page);
    effects_.push_back(BeginRelist{});
    return finish(AwaitingInitialEvents{now_}, OpenWatchList{initial_events_deadline(now_)});
  }

  WatchStep read_initial(const AwaitingInitialEvents& phase) {
    return finish(phase,
                  ReadEvent{.deadline = initial_events_deadline(phase.since), .is_initial = true});
  }

  Deadline initial_events_deadline(MonoTime since) const {
    return Deadline(
        std::min(now_ + policy_.initial_events_pause, since + policy_.initial_events_total));
  }

  // The same relist by the other method, at once.
  WatchStep fall_back(std::string why, MonoTime until = MonoTime::max()) {
    state_.pages_until = until;
    effects_.push_back(ReportFallback{std::move(why)});
    return list_anew({});
  }

  // A first page that is read again belongs to another snapshot.
  WatchStep read_page(client::Paging page, unsigned failures = 0) {
    if (page.continue_token.empty()) effects_.push_back(BeginRelist{});
    ReadPage request{page.limit, page.continue_token, in(policy_.request_timeout)};
    return finish(Listing{std::move(page), failures}, std::move(request));
  }

  WatchStep open_watch(const api::ResourceVersion& from) {
    return finish(Watching{.last = from, .since = now_},
                  OpenWatch{from, in(policy_.request_timeout)});
  }

  void end_relist(const api::ResourceVersion& version) {
    effects_.push_back(EndRelist{version});
    state_.failed_watch_lists = 0;
    state_.fruitless_watches = 0;
  }

  // The server has answered, so another attempt burdens it, even if the network cut the answer.
  WatchStep after_failed_watch_list(const Error& error) {
    if (++state_.failed_watch_lists < policy_.watch_list_failures_max) {
      return wait_after(error, ListAnew{}, Hindrance::server);
    }
    state_.failed_watch_lists = 0;
    return fall_back(to_string(error), now_ + policy_.pages_after_a_stall);
  }

  WatchStep after_fruitless_watch(const Error& error, const api::ResourceVersion& from) {
    return after_fruitless_watch(error, from, policy_.fruitless_watches_max);
  }
  WatchStep after_fruitless_watch(const Error& error, const api::ResourceVersion& from,
                                  unsigned most) {
    if (++state_.fruitless_watches < most) return wait_after(error, WatchFrom{from});
    state_.fruitless_watches = 0;
    // A watch list is a watch, too.
    if (is_denied(error)) {
      state_.pages_until = std::max(state_.pages_until, now_ + policy_.pages_after_a_stall);
    }
    return wait_after(error, ListAnew{RelistReason::fruitless});
  }

  WatchStep read_on(Watching phase) {
    if (phase.progress == Progress::shown) state_.fruitless_watches = 0;
    return finish(std::move(phase), ReadEvent{in(policy_.watch_silence)});
  }

  // Expiry is not a fault, and the first one is handled at once; a server that expires everything
  // must not make us list all the time.
  WatchStep relist(RelistReason reason) {
    const Duration backoff = next_backoff(Hindrance::server);
    if (state_.failures == 1) return list_anew({reason});
    return finish(Waiting{ListAnew{reason}}, Wait{backoff, backoff});
  }

  WatchStep wait_after(const Error& error, Resumption then) {
    return wait_after(error, std::move(then), hindrance(error));
  }
  WatchStep wait_after(const Error& error, Resumption then, Hindrance met) {
    effects_.push_back(ReportFailure{error});
    const Duration backoff = next_backoff(met);
    if (is_denied(error)) {
      return finish(Waiting{std::move(then)},
                    Wait{std::min(backoff, policy_.denied_max), Duration::zero()});
    }
    const Duration at_least = std::max(backoff, error.retry_after.value_or(Duration::zero()));
    return finish(Waiting{std::move(then)}, Wait{at_least, backoff});
  }

  // An API server that restarts refuses requests at first. That is no reason to wait as long as for
  // a server that refuses permanently; neither is a permission that was missing a while ago.
  Duration next_backoff(Hindrance met) {
    const bool has_helped = state_.last != Hindrance::server && state_.last != met;
    if (has_helped || now_ - state_.last_failure >= policy_.backoff_reset) state_.failures = 0;
    state_.last = met;
    const bool is_unanswered = met == Hindrance::unanswered;
    const Duration most = is_unanswered ? policy_.unanswered_max : policy_.backoff_max;
    state_.last_failure = now_;
    return runtime::Backoff{policy_.backoff_min, most}.after_failures(state_.failures++);
  }

  Deadline in(Duration duration) const { return Deadline(now_ + duration); }

  WatchStep finish(WatchPhase phase, Request request) {
    state_.phase = std::move(phase);
    return {std::move(state_), std::move(effects_), std::move(request)};
  }

  WatchState state_;
  MonoTime now_;
  const WatchPolicy& policy_;
  std::vector<Effect> effects_;
};

}  // namespace

std::string_view to_string(RelistReason reason) {
  switch (reason) {
    case RelistReason::start:
      return "start";
    case RelistReason::expired:
      return "expired";
    case RelistReason::page_expired:
      return "page_expired";
    case RelistReason::ahead_of_server:
      return "ahead_of_server";
    case RelistReason::fruitless:
      return "fruitless";
  }
  return "";
}

bool shows_progress(const ReflectorEvent& event) {
  return std::holds_alternative<Changed>(event) || std::holds_alternative<Bookmarked>(event) ||
         std::holds_alternative<PageRead>(event);
}

bool shows_recovery(const WatchState& state, const ReflectorEvent& event) {
  return std::holds_alternative<Watching>(state.phase) && shows_progress(event);
}

WatchStep advance(WatchState state, const ReflectorEvent& event, MonoTime now,
                  const WatchPolicy& policy) {
  const WatchPhase phase = std::move(state.phase);
  Step step(std::move(state), now, policy);
  return std::visit(
      [&step](const auto& current, const auto& happened) { return step.on(current, happened); },
      phase, event);
}

}  // namespace dcm::informers
