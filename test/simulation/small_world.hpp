// A world so small that every order of its messages can be tried: `./dev explore`.
//
// A run consists of a script for each actor, and the resulting messages: writes of a manager, their
// answers, and watch events. The order of the messages is chosen. Between two messages, everything
// that is ready runs, in a fixed order.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "test/simulation/choices.hpp"
#include "test/simulation/safety.hpp"
#include "test/simulation/small_workload.hpp"
#include "test/simulation/timeline.hpp"

namespace dcm::simulation {

// A fault of the process or its server, as an action.
struct Trouble {
  std::function<void()> kill_leader;
  std::function<void()> freeze_leader;  // until long after its lease is lost
  std::function<void()> stop_leader;    // as by SIGTERM; if nobody leads yet, the first manager
  std::function<void()> cut_connections;
  std::function<void()> relist;              // history is gone, watches end
  std::function<void()> gap;                 // and connections break: messages in flight are lost
  std::function<void(int)> refuse;           // all writes of managers, with that status; 0: none
  std::function<void(int)> refuse_look_ups;  // of single objects by managers, likewise
  std::function<void()> take_lease;          // by somebody who does not lead
};

struct SmallWorld {
  using Act = std::function<void(SmallWorkload&, const Trouble&)>;
  struct Script {
    std::string who;
    std::vector<Act> acts;  // in this order
  };

  std::string name;
  std::vector<Act> before{};  // in this order; then everything settles
  std::vector<Script> scripts{};
  std::size_t managers = 1;  // two: with leader election
  bool evicts = false;       // by the Eviction API
  bool has_groups = false;
  bool strips_annotations = false;  // a policy, from new claims
  // Messages begin to wait for their turn when the managers start, and `before` is done by then.
  bool includes_start = false;
  // Which requests wait for their turn apart from writes of objects. Leases: until all scripts are
  // done.
  bool orders_events = false;
  bool orders_leases = false;
  std::string ordered_list{};  // of that resource; empty: none
  // How many writes may be lost or duplicated, and answers lost.
  std::size_t losses = 0;
  std::size_t doubles = 0;
  std::size_t lost_answers = 0;
  // How often time passes while messages wait, long enough for another manager to lead.
  std::size_t pauses = 0;
};

struct SmallVerdict {
  std::optional<Breach> breach{};
  std::string timeline;
};

SmallVerdict run_small_world(const SmallWorld& world, Choices& choices, Detail detail);

// All explored worlds.
std::vector<SmallWorld> catalogue();

}  // namespace dcm::simulation
