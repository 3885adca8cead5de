// The faults of a world: drawn from its seed in advance, so that single faults can be omitted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/rng.hpp"
#include "runtime/time.hpp"
#include "test/simulation/request_faults.hpp"

namespace dcm::simulation {

struct Fault {
  enum class Kind {
    cut_connections,  // all open ones, at once
    cut_one_manager,  // those of one manager
    lose_requests,    // a fraction of requests never reaches the server
    lose_answers,     // a fraction is executed, and the connection breaks
    cut_answers,      // a fraction of answers breaks off in the middle
    delay_requests,   // a fraction is executed up to minutes late
    double_requests,  // a fraction is executed twice
    disown_requests,  // a fraction is executed, and a proxy answers 503
    refuse,           // a storm of 429, 500 or 503
    slow_network,     // messages take up to 2 s
    stall_watches,    // watches of one resource, or all, bring nothing
    cut_watches,      // watches of one resource, or all, end
    compact,          // history is gone: watches get a 410
    lose_bookmarks,
    restart_server,  // down for a while
    kill_manager,    // and restarted, with empty caches
    stop_manager,    // by SIGTERM, and restarted
    // A kill between any two tasks: after a number of further tasks, in the middle of anything.
    kill_at_some_await,
    // Of the manager that creates a claim: when its next create has arrived. Another one takes
    // over.
    kill_in_create,
    freeze_manager,   // by SIGSTOP; it does not notice when it continues
    jump_clock,       // the wall clock of one manager is wrong by seconds to hours
    lag_watches,      // a replica that lags by up to a minute answers watches
    forbid_requests,  // some kinds of writes are refused: by a role, a quota, a policy, a webhook
    forbid_kind,      // a role lacks one kind: no list, watch or look-up of it
    slow_lists,       // lists and watches of one kind begin when the fault ends
    conflict,         // others change an object right before a manager does
    change_lease,     // by an unrelated client
    restore_etcd      // from a backup; not drawn like the others
  } kind;
  runtime::Duration at{};
  runtime::Duration lasts{};
  double share = 0;
  std::size_t choice = 0;  // selects a resource, a status, a manager
  bool meets_groups = false;

  runtime::Duration end() const { return at + lasts; }
  std::string str() const;
};

inline constexpr std::size_t kFaultKinds = 28;

// At least 5, ordered by their beginning; all end before `until`.
std::vector<Fault> draw_faults(runtime::Rng rng, runtime::Duration until);

// In one world of eight: etcd goes back to what it was at the fault's beginning, at its end.
std::optional<Fault> draw_restore(runtime::Rng rng, runtime::Duration until);

// Lets some of them concern pod groups, by their choice of watches and requests.
void let_meet_groups(std::vector<Fault>& faults, runtime::Rng rng);

// The watched resource that a fault chooses; "*": all.
std::string resource_of(const Fault& fault);
// The status that a fault chooses.
int refusal_of(const Fault& fault);
// All kinds of writes that may be refused.
std::vector<Forbidden> all_writes();
// The refused requests, at least one kind, and the status of the refusal.
std::vector<Forbidden> forbidden_of(const Fault& fault);
int forbidden_status_of(const Fault& fault);
// By how much a clock is ahead or behind.
runtime::Duration clock_error_of(const Fault& fault);
// How far a replica of the server lags.
runtime::Duration lag_of(const Fault& fault);
// How long no server answers before etcd is restored.
runtime::Duration downtime_of(const Fault& fault);
// Whether revisions continue beyond all that clients know (`--bump-revision`).
bool bumps_revision(const Fault& fault);
// After how many tasks a manager dies.
std::uint64_t tasks_of(const Fault& fault);
// Whether the process after a killed one is stopped while it starts.
bool stops_successor(const Fault& fault);

}  // namespace dcm::simulation
