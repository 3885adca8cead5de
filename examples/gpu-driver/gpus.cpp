#include "gpus.hpp"

#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "devices.hpp"

namespace gpu {
namespace {

namespace json = boost::json;
using dcm::driver_kit::AllocatedClaim;
using dcm::driver_kit::AllocatedDevice;
using dcm::driver_kit::DeviceStatus;
using dcm::driver_kit::PreparedClaim;
using dcm::runtime::Task;
using namespace std::chrono_literals;

constexpr auto kLook = 1s;
// A node considers a device's health unknown after this much silence.
constexpr auto kHealthIsKnownFor = 30s;

// Two devices in a container must not set the same variable: "gpu-0-part-2" gives GPU_0_PART_2.
std::string variable_of(const std::string& device) {
  std::string name = "GPU_DEVICE_";
  for (const char c : device) name += c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return name;
}

}  // namespace

// Idempotent: what the kit writes depends only on the claim. A broken GPU is refused even for a
// claim that was prepared before: its containers could not start again.
Task<Gpus::Prepared> Gpus::prepare(AllocatedClaim claim) {
  PreparedClaim prepared;
  for (const AllocatedDevice& each : claim.devices) {
    if (broken_.contains(gpu_of(each.device)))
      co_return std::unexpected(each.device + " is broken");
    const std::string variable = fmt::format("{}=\"{}\"", variable_of(each.device), each.device);
    prepared.devices.push_back(
        {.pool = each.pool,
         .device = each.device,
         .share_id = each.share_id,
         .requests = {each.request},
         .edits = {{"env", {variable}}},
         .metadata = {.attributes = {{"model", {{"string", "EXAMPLE-40"}}},
                                     {"gpu", {{"string", gpu_of(each.device)}}}}}});
  }
  prepared.edits = {{"env", {"GPU_CLAIM=" + claim.ref.name}}};
  co_await tell_status(std::move(claim));
  co_return prepared;
}

// The kit removes what it has written. A real driver would reset the device here.
Task<Gpus::Unprepared> Gpus::unprepare(dcm::node::ClaimRef) {
  co_return Unprepared();
}

// Users see it in the claim. A failure is only logged.
Task<> Gpus::tell_status(AllocatedClaim claim) {
  std::vector<DeviceStatus> devices;
  for (const AllocatedDevice& each : claim.devices) {
    devices.push_back({.pool = each.pool,
                       .device = each.device,
                       .share_id = each.share_id,
                       .conditions = {dcm::driver_kit::make_condition(
                           "Ready", true, "Prepared", "", process_.time().wall_now())}});
  }
  const auto told = co_await process_.status().apply(claim.ref, std::move(devices));
  if (!told) process_.log().warning("No status of a claim", {{"error", to_string(told.error())}});
}

std::set<std::string> Gpus::find_broken() const {
  std::set<std::string> found;
  std::error_code missing;
  for (const auto& file : std::filesystem::directory_iterator(broken_folder_, missing)) {
    found.insert(file.path().filename().string());
  }
  return found;
}

void Gpus::publish() {
  (void)process_.publisher().publish({devices_of(process_.program().node, gpus_, broken_)});
}

void Gpus::report_health() {
  std::vector<dcm::node::HealthReport> reports;
  for (const json::object& each : devices_of(process_.program().node, gpus_, {}).devices) {
    const std::string name(each.at("name").as_string());
    const bool is_broken = broken_.contains(gpu_of(name));
    reports.push_back(
        {.pool = process_.program().node,
         .device = name,
         .state = {.health = is_broken ? dcm::node::Health::unhealthy : dcm::node::Health::healthy,
                   .message = is_broken ? "the GPU is broken" : ""},
         .timeout = kHealthIsKnownFor});
  }
  process_.plugin().health().report(reports);
}

Task<> Gpus::run() {
  broken_ = find_broken();
  publish();
  for (int look = 0;; ++look) {
    std::set<std::string> found = find_broken();
    const bool is_changed = broken_ != found;
    broken_ = std::move(found);
    if (is_changed) publish();
    if (is_changed || look % 10 == 0) report_health();
    co_await dcm::runtime::sleep_for(process_.time(), kLook);
  }
}

}  // namespace gpu
