// What a driver reports about the devices of a claim in its status (KEP-4817): conditions, custom
// data, and the network of a device.
#pragma once

#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "client/request/rest_client.hpp"
#include "node/driver_kit/driver.hpp"

namespace dcm::driver_kit {

// An entry of status.devices. The device must be allocated to the claim.
struct DeviceStatus {
  std::string pool;
  std::string device;
  std::optional<std::string> share_id = {};
  boost::json::array conditions = {};     // metav1.Condition, at most 8
  boost::json::object data = {};          // at most 10 KiB
  boost::json::object network_data = {};  // interfaceName, ips ("10.0.0.2/24"), hardwareAddress
};

// A metav1.Condition.
boost::json::object make_condition(std::string_view type, bool is_true, std::string_view reason,
                                   std::string_view message, runtime::WallTime since);

// Uses server-side apply, so that several drivers can write into a claim. Requires permission to
// patch resourceclaims/status, and from 1.36 on associated-node:patch of resourceclaims/driver.
class ClaimStatusWriter {
 public:
  // `rest` must outlive it.
  ClaimStatusWriter(client::RestClient& rest, const std::string& driver)
      : ClaimStatusWriter(rest, driver, driver) {}
  // With another field manager than the driver's name: for a second writer, such as a controller
  // that satisfies binding conditions.
  ClaimStatusWriter(client::RestClient& rest, std::string driver, std::string field_manager)
      : rest_(rest), driver_(std::move(driver)), field_manager_(std::move(field_manager)) {}

  // Replaces everything that this writer has reported before; an empty list removes it.
  // Errors: the API server's; conflict: another claim has that name now.
  Task<runtime::Result<>> apply(node::ClaimRef claim, std::vector<DeviceStatus> devices);

 private:
  client::RestClient& rest_;
  std::string driver_;
  std::string field_manager_;
};

}  // namespace dcm::driver_kit
