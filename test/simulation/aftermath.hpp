// The time after the faults: the world comes to rest, and then shows effects that many changes and
// faults had hidden.
//
// While much goes on, each change lets the manager look again, so a mistake may be made good before
// anybody sees it. Here one thing happens at a time, all that it asks for must be done soon, and
// nothing else is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "apiserver/front/server.hpp"
#include "runtime/loop.hpp"
#include "test/simulation/front.hpp"
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
    Front& front;
    Safety& safety;
    Workload& workload;
    const std::uint64_t& manager_writes;  // how many have arrived by now
    runtime::Duration prompt;             // within that time what is asked for is done
  };
  Aftermath(World world, runtime::Rng rng) : world_(world), rng_(rng) {}

  // Ends with the first breach.
  runtime::Task<std::optional<Breach>> run();
  // How long it took until everything was done.
  runtime::Duration settled_after() const { return settled_after_; }

 private:
  using Finding = std::optional<Breach>;

  runtime::Task<Finding> settle();
  runtime::Task<Finding> live_calmly();
  runtime::Task<Finding> miss_something();
  runtime::Task<Finding> watch_answers(runtime::Duration at_least);
  runtime::Task<Finding> refuse_writes();
  runtime::Task<Finding> rest(runtime::Duration lasts);
  runtime::Task<Finding> lose_watches(apiserver::Revision forgotten);
  Finding find_late();
  runtime::Duration draw_pause();
  runtime::MonoTime now() const { return world_.loop.time().now(); }

  World world_;
  runtime::Rng rng_;
  runtime::Duration settled_after_{};
  std::map<std::string, runtime::MonoTime> missing_since_;
};

}  // namespace dcm::simulation
