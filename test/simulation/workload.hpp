// All actors except the manager: which ones, and when they start and stop.
#pragma once

#include <optional>

#include "runtime/task_group.hpp"
#include "test/simulation/collectors.hpp"
#include "test/simulation/copies.hpp"
#include "test/simulation/devices.hpp"
#include "test/simulation/flood.hpp"
#include "test/simulation/giants.hpp"
#include "test/simulation/groups.hpp"
#include "test/simulation/mass_eviction.hpp"
#include "test/simulation/nodes.hpp"
#include "test/simulation/scheduler.hpp"
#include "test/simulation/users.hpp"

namespace dcm::simulation {

// How many pods a world sees: usually 20 to 60, occasionally a single one, or hundreds.
std::size_t draw_pods(runtime::Rng rng);

class Workload {
 public:
  // `groups`: the draws of users of pod groups, a third of the pods; nullopt: there are none.
  Workload(ActorContext context, runtime::Rng rng, std::size_t pods,
           std::optional<runtime::Rng> groups);

  // Call it before set_up(), which creates namespaces, templates, devices and shared claims.
  void make_templates_large() { users_.make_templates_large(); }
  void set_up();
  // Starts all actors. Once the users stop, only what ends by itself continues.
  void start();
  runtime::Task<> stop();
  // Creates the objects that users have held back.
  void bring_what_is_late();
  // Makes one of the actors act once.
  void act_once();
  // Every pod, rule and pool gives the manager something to do.
  void act_everywhere();

  Scheduler& scheduler() { return scheduler_; }
  MassEviction& mass_eviction() { return mass_eviction_; }
  Copies& copies() { return copies_; }
  Flood& flood() { return flood_; }
  Giants& giants() { return giants_; }
  // What a node did although it must not; nullopt: nothing.
  const std::optional<Breach>& breach() const { return nodes_.breach(); }

 private:
  runtime::Rng rng_;
  Users users_;
  Devices devices_;
  Scheduler scheduler_;
  Nodes nodes_;
  Collectors collectors_;
  MassEviction mass_eviction_;
  Copies copies_;
  Flood flood_;
  Giants giants_;
  std::optional<runtime::Rng> groups_rng_;
  std::optional<Groups> groups_;
  runtime::TaskGroup tasks_;
};

}  // namespace dcm::simulation
