// The author's part of a driver; the kit does the rest.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "node/claims/book.hpp"
#include "node/claims/decide.hpp"
#include "runtime/error.hpp"
#include "runtime/task.hpp"

namespace dcm::driver_kit {

using runtime::Task;

// An entry of status.allocation.devices.results.
struct AllocatedDevice {
  std::string request;  // without its subrequest: as nodes compare it
  std::string pool;
  std::string device;
  std::optional<std::string> share_id = {};
  std::string subrequest = {};  // the one of the request's that was chosen; empty: it has none

  friend bool operator==(const AllocatedDevice&, const AllocatedDevice&) = default;
};

// An allocated claim, which is certainly the claim that the node means.
struct AllocatedClaim {
  node::ClaimRef ref;
  std::vector<AllocatedDevice> devices;  // of this driver
  std::string json;                      // the whole claim, with its configuration
  // The claim's name in its pod, if it was made from a template.
  std::string pod_claim_name = {};
};

// What a container may read about a device (KEP-5304), as in a ResourceSlice and in a claim's
// status.devices.
struct DeviceMetadata {
  boost::json::object attributes = {};
  boost::json::object network_data = {};  // interfaceName, ips, hardwareAddress

  friend bool operator==(const DeviceMetadata&, const DeviceMetadata&) = default;
};

// A device that a container can have from now on.
struct PreparedDevice {
  std::string pool;
  std::string device;
  std::optional<std::string> share_id = {};
  std::vector<std::string> requests = {};  // empty: of all
  std::vector<std::string> cdi_ids = {};   // of specs that the driver itself has written
  // containerEdits of the Container Device Interface (env, deviceNodes, mounts, hooks, …): the kit
  // writes the spec, and removes it with the claim.
  boost::json::object edits = {};
  DeviceMetadata metadata = {};

  friend bool operator==(const PreparedDevice&, const PreparedDevice&) = default;
};

struct PreparedClaim {
  std::vector<PreparedDevice> devices = {};
  // containerEdits, once for each container that has any of the devices with edits.
  boost::json::object edits = {};
};

class Driver {
 public:
  using Prepared = std::expected<PreparedClaim, std::string>;
  using Unprepared = std::expected<void, std::string>;

  virtual ~Driver() = default;
  // Must bear to be asked again for a claim that is prepared, and answer the same: nodes ask again
  // after a crash. Cancelled when the node gives the call up. Errors are told to the pod's owner.
  virtual Task<Prepared> prepare(AllocatedClaim claim) = 0;
  // Must bear a claim that is not prepared. The claim may be gone from the API.
  virtual Task<Unprepared> unprepare(node::ClaimRef claim) = 0;
  // Beside the calls, in a program of run_driver(): watch devices, publish them, report health. It
  // is cancelled at the end; it may also end before.
  virtual Task<> run() { co_return; }
};

// Where claims come from: the API server, never a cache, which may be older than the allocation.
class ClaimReader {
 public:
  virtual ~ClaimReader() = default;
  // The claim's JSON.
  virtual Task<runtime::Result<std::string>> get(node::ClaimKey key) = 0;
};

// `json` as the claim that the node means. Errors: why it cannot be prepared; it has no UID, was
// replaced by another one of its name, or is not allocated.
std::expected<AllocatedClaim, std::string> read_claim(const node::ClaimRef& meant,
                                                      const std::string& driver, std::string json);

}  // namespace dcm::driver_kit
