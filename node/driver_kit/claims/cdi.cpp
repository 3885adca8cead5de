#include "node/driver_kit/claims/cdi.hpp"

#include <algorithm>
#include <set>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "node/driver_kit/json.hpp"
#include "runtime/ascii.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;

bool has_in(const json::object& edits, std::string_view list, std::string_view field) {
  return std::ranges::any_of(
      array_at(edits, "/" + std::string(list)),
      [&](const json::value& item) { return find_at(item, "/" + std::string(field)) != nullptr; });
}

// Like MinimumRequiredVersion() of the specification's own Go package; a number for comparison.
int version_of(const json::object& edits) {
  if (edits.contains("netDevices")) return 110;
  if (const json::value* const rdt = edits.if_contains("intelRdt")) {
    return find_at(*rdt, "/schemata") || find_at(*rdt, "/enableMonitoring") ? 110 : 70;
  }
  if (edits.contains("additionalGids")) return 70;
  if (has_in(edits, "deviceNodes", "hostPath")) return 50;
  return has_in(edits, "mounts", "type") ? 40 : 30;
}

bool starts_with_digit(const CdiDevice& device) {
  return !device.name.empty() && runtime::is_digit(device.name[0]);
}

std::string text_of(int version) {
  return version == 110 ? "1.1.0" : fmt::format("0.{}.0", version / 10);
}

}  // namespace

json::object cdi_spec(std::string kind, const std::vector<CdiDevice>& devices,
                      const json::object& edits) {
  int version = version_of(edits);
  json::array list;
  for (const CdiDevice& device : devices) {
    version = std::max({version, version_of(device.edits), starts_with_digit(device) ? 50 : 0});
    list.push_back(json::object{{"name", device.name}, {"containerEdits", device.edits}});
  }
  json::object spec{
      {"cdiVersion", text_of(version)}, {"kind", std::move(kind)}, {"devices", std::move(list)}};
  if (!edits.empty()) spec["containerEdits"] = edits;
  return spec;
}

runtime::Result<> check_cdi_vendor(const std::string& driver) {
  if (!runtime::is_digit(driver.front())) return {};
  return runtime::fail(
      runtime::Reason::configuration,
      fmt::format("driver \"{}\": CDI specs need a name that begins with a letter", driver));
}

std::optional<json::object> claim_spec(const std::string& driver, const std::string& uid,
                                       PreparedClaim& claim) {
  const std::string kind = driver + "/claim";
  std::vector<CdiDevice> devices;
  std::set<std::string> names;
  for (PreparedDevice& device : claim.devices) {
    if (device.edits.empty() && claim.edits.empty()) continue;
    std::string name = fmt::format("{}-{}", uid, device.device);
    // Devices of two pools, and shares of one device, may have the same name.
    for (int number = 2; !names.insert(name).second; ++number) {
      name = fmt::format("{}-{}-{}", uid, device.device, number);
    }
    device.cdi_ids.push_back(fmt::format("{}={}", kind, name));
    devices.push_back({std::move(name), device.edits});
  }
  if (devices.empty()) return std::nullopt;
  return cdi_spec(kind, devices, claim.edits);
}

}  // namespace dcm::driver_kit
