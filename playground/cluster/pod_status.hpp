// A pod's status as kubelet writes it, as the body of a strategic merge patch on /status.
//
// All containers of a hollow pod behave the same, except init containers, which have completed
// before, and sidecars, which run as long as the pod. A condition keeps its time while it is
// unchanged.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "playground/cluster/decide_life.hpp"
#include "runtime/time.hpp"

namespace dcm::playground {

// A row of status.containerStatuses[].allocatedResourcesStatus (KEP-4680).
struct AllocatedResource {
  struct Device {
    std::string id;
    std::string health;  // "Healthy", "Unhealthy" or "Unknown"
    std::string message;
    friend bool operator==(const Device&, const Device&) = default;
  };
  std::string name;  // "claim:gpu/large"
  std::vector<Device> devices;
  friend bool operator==(const AllocatedResource&, const AllocatedResource&) = default;
};
using DevicesHealth = std::map<std::string, std::vector<AllocatedResource>>;  // by container

struct PodAddress {
  std::string host;  // of the node
  std::string pod;
};

// When the containers were first started, according to the status; nullopt: never.
std::optional<runtime::WallTime> started_at(const Pod& pod);

// The status before its containers can be started: "ContainerCreating".
std::string encode_creating(const Pod& pod, const PodAddress& address, runtime::WallTime now);

struct RunningPod {
  runtime::WallTime started;
  Containers containers = {};
  int more_restarts = 0;  // by restarts of the node
  PodAddress address = {};
  DevicesHealth health = {};
};
std::string encode_running(const Pod& pod, const RunningPod& running, runtime::WallTime now);

// A final phase: Succeeded if its containers have completed, otherwise Failed. `before`: as the
// containers were until then.
std::string encode_ended(const Pod& pod, Ending ending, runtime::WallTime now,
                         const RunningPod& before = {});

}  // namespace dcm::playground
