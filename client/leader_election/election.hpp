// Every rule of leader election over a Lease, as a state machine without I/O.
//
// The protocol is client-go's LeaderElector (tools/leaderelection), so candidates of both kinds can
// coexist. The holder renews; all others measure on their own clock how long the lease has been
// unchanged. Each update carries the resourceVersion it was based on. The times in a lease are for
// people: clocks are never compared.
//
// Where it is stricter than client-go: a leader's time starts when the last successful renewal was
// sent, not when it was answered; a lease that is deleted, cleared or shortened by hand does not
// become free before its leader's time has run out; a lease that was acquired and released by
// another candidate meanwhile is lost. Where it is faster: an attempt is made when a silent
// holder's time runs out, not up to a retry period later.
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
  std::string identity;  // unique to this process: "<host>_<uuid>"
  Timing timing = {};
};

// A reading of both clocks: monotonic for decisions, wall time for the record.
struct Moment {
  MonoTime mono;
  runtime::WallTime wall;
};

// ---- states -------------------------------------------------------------------------------------

// Another candidate leads, or none does, or the leader is unknown.
struct Following {
  // The lease as it was last read, and when it was first seen in that state.
  struct Seen {
    LeaseSpec spec;
    MonoTime since;
  };
  std::optional<Seen> seen;  // nullopt: not read yet, or missing
  enum class Turn { read, acquire } turn = Turn::read;
  MonoTime next_try{};
  // An attempt to acquire it was not answered: it may be ours.
  bool may_be_holder = false;
};

struct Leading {
  LeaseSpec own;                   // as last accepted from us by the server
  std::optional<LeaseSpec> known;  // the state that the next write replaces; nullopt: missing
  MonoTime renewed_at;             // when the last successful renewal was sent
  // Renewals rely on the known state; after a failure the lease is read first.
  enum class Turn { renew, read, renew_what_was_read } turn = Turn::renew;
  MonoTime next_try;
};

// Stopping: releases the lease if it is ours.
struct Releasing {
  std::optional<LeaseSpec> known;
  enum class Turn { read, release } turn;
  int attempts_left = 2;
};

struct Ended {
  enum class How { released, lost } how;
  std::string why;  // for the state `lost`
};

using State = std::variant<Following, Leading, Releasing, Ended>;

// ---- what to do ---------------------------------------------------------------------------------

struct Wait {
  MonoTime until;
};
struct Read {};
struct Write {
  enum class Kind { create, update } kind;  // an update replaces what was last read or written
  LeaseSpec spec;
};
using Step = std::variant<Wait, Read, Write, Ended>;

Step next_step(const State& state, const Candidate& self, Moment now);

// ---- what came of it ----------------------------------------------------------------------------

struct Answer {
  // The lease; nullopt if missing.
  Result<std::optional<LeaseSpec>> lease;
  MonoTime sent;  // before the request was sent
  MonoTime now;
  double jitter;  // drawn from [0, 1)
};

State observe_read(State state, const Candidate& self, const Answer& answer);
State observe_write(State state, const Candidate& self, const Answer& answer);

// This process is about to end, and has sent all of its writes.
State begin_release(State state);

// ---- bounds -------------------------------------------------------------------------------------

// Until when the leader's own writes may be sent; nullopt: they may not be sent now.
std::optional<MonoTime> may_write_until(const State& state, const Candidate& self);
// Whether another candidate holds the lease now, as far as we know.
bool is_held_by_other(const State& state, const Candidate& self, MonoTime now);
// When to abandon a lease request that is sent now.
MonoTime request_deadline(const State& state, const Candidate& self, MonoTime now);

}  // namespace dcm::leader_election
