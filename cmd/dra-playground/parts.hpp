// What a cluster has beside its API server, in small: nodes, drivers, a scheduler, garbage
// collectors for claims and for namespaces. The same against the API server in memory and against a
// real one.
#pragma once

#include <string>
#include <vector>

#include "cmd/dra-playground/cluster/drivers.hpp"
#include "cmd/dra-playground/cluster/heartbeats.hpp"
#include "cmd/dra-playground/cluster/hollow_nodes.hpp"
#include "cmd/dra-playground/cluster/namespace_gc.hpp"
#include "cmd/dra-playground/cluster/owner_gc.hpp"
#include "cmd/dra-playground/scheduler/scheduler.hpp"

namespace dcm::playground {

// Whether the small scheduler places pods, or somebody else does.
enum class OwnScheduler { runs, none };
// Whether claims of pods that are gone are deleted here, or somebody else looks after what is
// owned.
enum class OwnGc { runs, none };

struct Size {
  std::size_t nodes = 4;
  std::size_t devices = 8;  // of each driver on each node
  std::vector<std::string> drivers = {"gpu.example.com", "nic.example.com"};
};

class Parts {
 public:
  // `rest`, and what `context` refers to, must outlive it.
  Parts(PartContext context, client::RestClient& rest, const Size& size,
        OwnScheduler own_scheduler = OwnScheduler::runs, OwnGc own_gc = OwnGc::runs);

  // Makes nodes, device classes and slices. Errors: what the API server has against it.
  Task<Result<>> publish();
  // Ends by cancellation only.
  Task<> run();

  const Caches& caches() const { return caches_; }
  const Scheduler& scheduler() const { return scheduler_; }

 private:
  // Works as soon as the caches are complete.
  Task<> work();

  PartContext context_;
  OwnScheduler own_scheduler_;
  OwnGc own_gc_;
  Api api_;
  Caches caches_;
  Drivers drivers_;
  HollowNodes nodes_;
  Heartbeats heartbeats_;
  Scheduler scheduler_;
  OwnerGc gc_;
  NamespaceGc namespace_gc_;
};

}  // namespace dcm::playground
