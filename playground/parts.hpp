// The playground's cluster apart from its API server: nodes, drivers, a scheduler, garbage
// collectors for claims and for namespaces. They run against the API server in memory or against a
// real cluster.
#pragma once

#include <string>
#include <vector>

#include "playground/cluster/drivers.hpp"
#include "playground/cluster/heartbeats.hpp"
#include "playground/cluster/hollow_nodes.hpp"
#include "playground/cluster/namespace_gc.hpp"
#include "playground/cluster/owner_gc.hpp"
#include "playground/cluster/pretended_devices.hpp"
#include "playground/cluster/real_devices.hpp"
#include "playground/scheduler/scheduler.hpp"

namespace dcm::playground {

// Whether the small scheduler places pods, or another one does.
enum class OwnScheduler { runs, none };
// Whether claims of pods that are gone are deleted here, or by another garbage
// collector.
enum class OwnGc { runs, none };

struct Size {
  std::size_t nodes = 4;
  std::size_t devices = 8;  // of each driver on each node
  std::vector<std::string> drivers = {"gpu.example.com", "nic.example.com"};
};

// The node for real drivers, if there is one: its folder is laid out as kubelet's root folder is,
// with `plugins_registry` and `plugins` in it, and `devices` for what containers would get.
inline constexpr std::string_view kNodeOfRealDrivers = "node-0";

class Parts {
 public:
  // `rest`, and what `process` refers to, must outlive it. `real_drivers`: the folder of the first
  // node, which then has no devices but those of real drivers; empty: there is no such node.
  Parts(Process process, client::RestClient& rest, const Size& size,
        OwnScheduler own_scheduler = OwnScheduler::runs, OwnGc own_gc = OwnGc::runs,
        const std::string& real_drivers = {});

  // Makes nodes, device classes and slices. Errors: what the API server has against it; a folder or
  // checkpoint that cannot be used.
  Task<Result<>> publish();
  // They work in an epoch of the frame.
  void fill(manager::Epoch& epoch);

  const Caches& caches() const { return caches_; }
  const Scheduler& scheduler() const { return scheduler_; }

 private:
  Task<> schedule();
  PodDevices& devices_of(const api::InternedString& node);

  Process process_;
  OwnScheduler own_scheduler_;
  OwnGc own_gc_;
  std::string real_folder_;
  Api api_;
  Caches caches_;
  Drivers drivers_;
  HollowNodes nodes_;
  Heartbeats heartbeats_;
  PretendedDevices pretended_;
  std::unique_ptr<RealDevices> real_;  // null: there are none
  Scheduler scheduler_;
  OwnerGc gc_;
  NamespaceGc namespace_gc_;
};

}  // namespace dcm::playground
