// The time after the faults: the cluster comes to rest, and then shows effects that many changes
// and faults had hidden.
//
// In a busy cluster, each change makes the manager look again, so a mistake may be corrected before
// it is seen. Here one thing happens at a time, and exactly its consequences must follow soon.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "apiserver/front/server.hpp"
#include "runtime/loop.hpp"
#include "test/simulation/faulty_server.hpp"
#include "test/simulation/liveness.hpp"
#include "test/simulation/safety.hpp"
#include "test/simulation/timeline.hpp"
#include "test/simulation/workload.hpp"

namespace dcm::simulation {

class Aftermath {
 public:
  // All references must outlive it.
  struct World {
    runtime::VirtualLoop& loop;
    Timeline& timeline;
    apiserver::Server& server;
    FaultyServer& faulty_server;
    Safety& safety;
    Workload& workload;
    const std::uint64_t& manager_writes;  // how many have arrived by now
    runtime::Duration prompt;             // how soon the consequences must follow
    double eviction_rate;                 // per second, if nothing else limits it; 0: unlimited
    bool has_few_places;                  // for requests, which namespaces do not share fairly
    std::function<void()> restart_managers;
    std::function<std::optional<Breach>()> memory_breach;
  };
  Aftermath(World world, runtime::Rng rng) : world_(world), rng_(rng), liveness_(world.prompt) {}

  // Call it now and then during faults: objects blocked by them may wait longer afterwards.
  void look_on() { look({Obstacle::Of::everybody}); }
  // Ends at the first breach.
  runtime::Task<std::optional<Breach>> run();
  // How long it took until everything was done.
  runtime::Duration settled_after() const { return settled_after_; }

 private:
  using Finding = std::optional<Breach>;

  runtime::Task<Finding> settle();
  runtime::Task<Finding> wait_long();
  runtime::Task<Finding> live_calmly();
  runtime::Task<Finding> miss_something();
  runtime::Task<Finding> trouble_one_tenant();
  runtime::Task<Finding> grant_no_budget();
  runtime::Task<Finding> hide_one_kind();
  runtime::Task<Finding> exhaust_eviction_rate();
  runtime::Task<Finding> copy_claims();
  runtime::Task<Finding> flood();
  runtime::Task<Finding> bring_giants();
  runtime::Task<Finding> fill_claim();
  runtime::Task<Finding> watch_answers(runtime::Duration at_least, Obstacle obstacle = {});
  runtime::Task<Finding> wait_until(std::function<bool()> holds, runtime::Duration within,
                                    Breach otherwise, Obstacle obstacle = {});
  runtime::Task<Finding> come_to_rest();
  runtime::Task<Finding> refuse_writes();
  runtime::Task<Finding> rest(runtime::Duration lasts);
  runtime::Task<Finding> lose_watches(apiserver::Revision forgotten);
  Finding look(const Obstacle& obstacle = {});
  runtime::Duration draw_pause();
  runtime::MonoTime now() const { return world_.loop.time().now(); }

  World world_;
  runtime::Rng rng_;
  runtime::Duration settled_after_{};
  Liveness liveness_;
};

}  // namespace dcm::simulation
