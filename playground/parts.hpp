// The playground's cluster apart from its API server: nodes, drivers, a scheduler, garbage
// collectors for claims and for namespaces. They run against the in-memory API server or a real
// cluster.
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

// Whether the small scheduler places pods, or another scheduler.
enum class OwnScheduler { runs, none };
// Whether claims of deleted pods are deleted here, or by another garbage collector.
enum class OwnGc { runs, none };

struct Size {
  std::size_t nodes = 4;
  std::size_t devices = 8;  // of each driver on each node
  std::vector<std::string> drivers = {"gpu.example.com", "nic.example.com"};
};

// The node for real drivers, if any: its folder is structured like kubelet's root folder, with
// `plugins_registry` and `plugins`, and `devices` for what containers would get.
inline constexpr std::string_view kNodeOfRealDrivers = "node-0";

class Parts {
 public:
  // `rest`, and what `process` refers to, must outlive it. `real_drivers`: the folder of the first
  // node, which then has only devices of real drivers. Empty: there is no such node.
  Parts(Process process, client::RestClient& rest, const Size& size,
        OwnScheduler own_scheduler = OwnScheduler::runs, OwnGc own_gc = OwnGc::runs,
        const std::string& real_drivers = {});

  // Creates nodes, device classes and slices. Errors: refusals of the API server; an unusable
  // folder or checkpoint.
  Task<Result<>> publish();
  // Adds the parts to an epoch, in which they work.
  void fill(manager::Epoch& epoch);

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
