// The faults of a world: drawn from its seed beforehand, so that a fault can be left out.
#pragma once

#include <string>
#include <vector>

#include "runtime/rng.hpp"
#include "runtime/time.hpp"
#include "test/simulation/request_faults.hpp"

namespace dcm::simulation {

struct Fault {
  enum class Kind {
    cut_connections,  // all that are open, at once
    cut_one_manager,  // those of one manager
    lose_requests,    // a share of requests never reaches the server
    lose_answers,     // a share is carried out, and the connection breaks
    cut_answers,      // a share of answers breaks off in the middle
    delay_requests,   // a share is carried out up to minutes late
    double_requests,  // a share is carried out twice
    disown_requests,  // a share is carried out, and the answer is that of a proxy: 503
    refuse,           // a storm of 429, 500 or 503
    slow_network,     // messages take up to 2 s
    stall_watches,    // watches of one resource, or all, bring nothing
    cut_watches,      // watches of one resource, or all, end
    compact,          // history is gone: watches get a 410
    lose_bookmarks,
    restart_server,  // down for a while
    kill_manager,    // and started again, with empty caches
    stop_manager,    // as SIGTERM does, and started again
    // A kill between any two tasks: after so many more have run, in the middle of whatever it is.
    kill_at_some_await,
    // Of the manager that makes a claim: when its next create has arrived. Another one takes over.
    kill_in_create,
    freeze_manager,   // as SIGSTOP does; it does not know when it goes on
    jump_clock,       // the wall clock of one manager is wrong by seconds to hours
    lag_watches,      // a replica that is behind by up to a minute answers watches
    forbid_requests,  // some kinds are refused: by a role, a quota, a policy, a webhook
    forbid_kind,      // a role lacks one kind: no list, watch or look-up of it
    slow_lists,       // lists and watches of one kind begin when it ends
    conflict,         // others change an object right before a manager does
    change_lease      // by somebody who has no business there
  } kind;
  runtime::Duration at{};
  runtime::Duration lasts{};
  double share = 0;
  std::size_t choice = 0;  // of a resource, a status, a manager
  bool meets_groups = false;

  runtime::Duration end() const { return at + lasts; }
  std::string str() const;
};

inline constexpr std::size_t kFaultKinds = 27;

// At least 5, in the order of their beginning; all end before `until`.
std::vector<Fault> draw_faults(runtime::Rng rng, runtime::Duration until);

// Some are about pod groups then: what they choose of watches and requests.
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
// How far behind a replica of the server is.
runtime::Duration lag_of(const Fault& fault);
// After how many tasks a manager dies.
std::uint64_t tasks_of(const Fault& fault);

}  // namespace dcm::simulation
