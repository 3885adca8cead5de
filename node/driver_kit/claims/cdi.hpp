// Specs of the Container Device Interface (github.com/cncf-tags/container-device-interface,
// SPEC.md) as written by the kit: one for each claim, with device names unique to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "node/driver_kit/driver.hpp"
#include "runtime/error.hpp"

namespace dcm::driver_kit {

inline constexpr std::string_view kCdiFolder = "/var/run/cdi";

struct CdiDevice {
  std::string name;
  boost::json::object edits;
};

// `kind`: "gpu.example.com/claim". Uses the oldest version that supports all used fields, so that
// old runtimes read it.
boost::json::object cdi_spec(std::string kind, const std::vector<CdiDevice>& devices,
                             const boost::json::object& edits = {});

// The driver's name is the vendor of its specs, and not every name can be one. Errors:
// configuration.
runtime::Result<> check_cdi_vendor(const std::string& driver);

// The spec of a claim whose devices have edits; adds their names to `cdi_ids` of the devices.
// nullopt: none has edits.
std::optional<boost::json::object> claim_spec(const std::string& driver, const std::string& uid,
                                              PreparedClaim& claim);

}  // namespace dcm::driver_kit
