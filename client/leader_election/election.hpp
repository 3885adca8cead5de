// Every rule of leader election over a Lease, as a state machine without I/O.
//
// The protocol is client-go's LeaderElector (tools/leaderelection), so candidates of both kinds get
// along. The holder renews; all others measure by their own clock for how long the lease has not
// changed; and each update carries the resourceVersion it was decided on. The times in a lease are
// for people: no clock is ever compared with another.
//
// Where it is stricter than client-go: a leader's time runs from the sending of the last renewal
// that succeeded, not from its answer or from the next attempt; a lease that is deleted, cleared or
// shortened by hand under a living leader is not free before that leader's time has run out; one
// that was taken and released by somebody else meanwhile is lost. Where it is quicker: an attempt
// comes when a silent holder's time runs out, not up to a retry period later.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "client/api/lease.hpp"
#include "client/leader_election/timing.hpp"

namespace dcm::leader_election {

using api::LeaseSpec;
using runtime::Duration;
using runtime::MonoTime;
using runtime::Result;

struct Candidate {
  std::string identity;  // of this process alone, for ever: "<host>_<uuid>"
  Timing timing = {};
};

// A reading of both clocks: the first to decide by, the second to write down.
struct Moment {
  MonoTime mono;
  runtime::WallTime wall;
};

// ---- states -------------------------------------------------------------------------------------

// Another candidate leads, or none does, or the leader is not known yet.
struct Following {
  // The lease as it was read last, and when it was first seen like that.
  struct Seen {
    LeaseSpec spec;
    MonoTime since;
  };
  std::optional<Seen> seen;  // nothing: not read yet, or not there
  enum class Turn { read, take } turn = Turn::read;
  MonoTime next_try{};
  // An attempt to take it was not answered: it may be ours.
  bool may_be_holder = false;
};

struct Leading {
  LeaseSpec own;                   // as the server has accepted it from us last
  std::optional<LeaseSpec> known;  // what the next write is made over; nothing: it is not there
  MonoTime renewed_at;             // the sending of the last renewal that succeeded
  // Renewals trust what is known; after a failure the lease is read first.
  enum class Turn { renew, read, renew_what_was_read } turn = Turn::renew;
  MonoTime next_try;
};

// On the way out: gives the lease back, if it is ours.
struct Releasing {
  std::optional<LeaseSpec> known;
  enum class Turn { read, release } turn;
  int attempts_left = 2;
};

struct Ended {
  enum class How { released, lost } how;
  std::string why;  // of lost
};

using State = std::variant<Following, Leading, Releasing, Ended>;

// ---- what to do ---------------------------------------------------------------------------------

struct Wait {
  MonoTime until;
};
struct Read {};
struct Write {
  enum class Kind { create, update } kind;  // an update is of what was read or written last
  LeaseSpec spec;
};
using Step = std::variant<Wait, Read, Write, Ended>;

Step next_step(const State& state, const Candidate& self, Moment now);

// ---- what came of it ----------------------------------------------------------------------------

struct Answer {
  // The lease; nothing: it is not there.
  Result<std::optional<LeaseSpec>> lease;
  MonoTime sent;  // before the request left
  MonoTime now;
  double jitter;  // drawn from [0, 1)
};

State observe_read(State state, const Candidate& self, const Answer& answer);
State observe_write(State state, const Candidate& self, const Answer& answer);

// This process is about to end, and has written all that it wants to.
State begin_release(State state);

// ---- bounds -------------------------------------------------------------------------------------

// Until when writes for which one must be the leader may leave; nothing: they may not.
std::optional<MonoTime> may_write_until(const State& state, const Candidate& self);
// Whether another candidate holds the lease now, as far as is known.
bool is_held_by_other(const State& state, const Candidate& self, MonoTime now);
// When to give up a request about the lease that is sent now.
MonoTime request_deadline(const State& state, const Candidate& self, MonoTime now);

}  // namespace dcm::leader_election
