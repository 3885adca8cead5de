// The part of a driver that its author writes; the kit does the rest.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "client/api/meta.hpp"
#include "node/claims/decide.hpp"
#include "runtime/error.hpp"
#include "runtime/task.hpp"

namespace dcm::driver_kit {

using runtime::Task;

// An entry of status.allocation.devices.results.
struct AllocatedDevice {
  std::string request;  // without its subrequest: nodes compare it this way
  std::string pool;
  std::string device;
  std::optional<std::string> share_id = {};
  std::string subrequest = {};  // the chosen subrequest; empty if there is none

  friend bool operator==(const AllocatedDevice&, const AllocatedDevice&) = default;
};

// An allocated claim, verified to be the one that the node means.
struct AllocatedClaim {
  node::ClaimRef ref;
  std::vector<AllocatedDevice> devices;  // the devices of this driver
  std::string json;                      // the whole claim, including its configuration
  // The claim's name in its pod, if it was made from a template.
  std::string pod_claim_name = {};
};

// Details of a device for containers (KEP-5304), as in a ResourceSlice and in a claim's
// status.devices.
struct DeviceMetadata {
  boost::json::object attributes = {};
  boost::json::object network_data = {};  // interfaceName, ips, hardwareAddress

  friend bool operator==(const DeviceMetadata&, const DeviceMetadata&) = default;
};

// A device ready for use by a container.
struct PreparedDevice {
  std::string pool;
  std::string device;
  std::optional<std::string> share_id = {};
  std::vector<std::string> requests = {};  // empty: of all; subrequests are cut off
  std::vector<std::string> cdi_ids = {};   // devices of specs written by the driver itself
  // containerEdits of the Container Device Interface (env, deviceNodes, mounts, hooks, …): the kit
  // writes the spec, and removes it with the claim.
  boost::json::object edits = {};
  DeviceMetadata metadata = {};

  friend bool operator==(const PreparedDevice&, const PreparedDevice&) = default;
};

struct PreparedClaim {
  std::vector<PreparedDevice> devices = {};
  // containerEdits, once for each container with any of the devices that have edits.
  boost::json::object edits = {};
};

class Driver {
 public:
  using Prepared = std::expected<PreparedClaim, std::string>;
  using Unprepared = std::expected<void, std::string>;

  virtual ~Driver() = default;
  // Must be idempotent and give the same answer for a prepared claim: nodes ask again after a
  // crash. Cancelled when the node gives up the call. Errors are shown to the pod's owner.
  virtual Task<Prepared> prepare(AllocatedClaim claim) = 0;
  // Must accept a claim that is not prepared. The claim may no longer exist in the API.
  virtual Task<Unprepared> unprepare(node::ClaimRef claim) = 0;
  // Runs concurrently with the calls, in a program of run_driver(): watch devices, publish them,
  // report health. Cancelled at the end; may also end earlier.
  virtual Task<> run() { co_return; }
};

// Reads claims from the API server, never from a cache, which may be older than the allocation.
class ClaimReader {
 public:
  virtual ~ClaimReader() = default;
  // The claim's JSON.
  virtual Task<runtime::Result<std::string>> get(api::NamespacedName key) = 0;
};

// Whether its names and its UID can be parts of paths: of files, and of URLs.
bool is_claim(const node::ClaimRef& ref);

// Reads `json` as the claim that the node means. Errors: why it cannot be prepared: it has no UID,
// was replaced under its name, or is not allocated.
std::expected<AllocatedClaim, std::string> read_claim(const node::ClaimRef& meant,
                                                      const std::string& driver, std::string json);

}  // namespace dcm::driver_kit
