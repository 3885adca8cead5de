// Pools for test tables: API objects in JSON with single quotes, and statuses as one line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "controllers/resource_pool_status/rules/decide_status.hpp"
#include "test/unit/allocation/parse.hpp"

namespace dcm::resource_pool_status {

inline std::string in_words(const api::PoolStatus& status) {
  std::string text = fmt::format("{}/{}", status.driver.str(), status.pool.str());
  if (!status.node.empty()) text += " on " + status.node.str();
  if (status.totals) {
    text +=
        fmt::format(": {} = {} allocated + {} unavailable + {} available", status.totals->total,
                    status.totals->allocated, status.totals->unavailable, status.totals->available);
  }
  for (const api::PartitionTypeStatus& row : status.partitions) {
    text += fmt::format("; {} of {} {}", row.allocatable, row.total, row.type);
  }
  if (status.shareable) {
    text += fmt::format("; {} fully, {} partially", status.shareable->fully_available,
                        status.shareable->partially_available);
    for (const api::ShareableCapacityStatus& row : status.shareable->capacity) {
      text += fmt::format(", {} {} - {} = {}", row.name, row.total, row.consumed, row.available);
    }
  }
  if (!status.validation_error.empty()) text += "; " + status.validation_error;
  return text;
}

// The published and allocated devices; by default the driver is "d" and the pool "p".
class Pools {
 public:
  Pools& slice(std::string_view name, std::string_view spec) {
    inputs.slices.push_back(allocation::parse_slice(name, spec));
    return *this;
  }
  // Adds a slice of devices, each given as fields without braces.
  Pools& devices(const std::vector<std::string>& all, std::string_view more = "") {
    std::string list;
    for (const std::string& each : all) list += (list.empty() ? "{" : ", {") + each + "}";
    return slice("s", fmt::format("'devices': [{}]{}{}", list, more.empty() ? "" : ", ", more));
  }
  // Adds a claim that allocates the device; `more` has further fields of the result.
  Pools& allocated(std::string_view device, std::string_view more = "") {
    const auto claim =
        allocation::parse<allocation::AllocatedClaimFields, allocation::Claim>(fmt::format(
            "{{'status': {{'allocation': {{'devices': {{'results': [{{'driver': 'd', 'pool': 'p', "
            "'device': '{}'{}{}}}]}}}}}}}}",
            device, more.empty() ? "" : ", ", more));
    for (const auto& result : claim.allocation->devices) inputs.usage.take(result);
    return *this;
  }
  Pools& rule(api::TaintEffect effect, std::string_view device) {
    inputs.rules.push_back({.name = "rule",
                            .driver = InternedString("d"),
                            .device = InternedString(device),
                            .taint = {.key = "k", .effect = effect}});
    return *this;
  }

  std::vector<std::string> statuses(const PoolFilter& filter = {.driver = "d"}) const {
    std::vector<std::string> texts;
    for (const api::PoolStatus& status : pool_statuses(filter, inputs)) {
      texts.push_back(in_words(status));
    }
    return texts;
  }
  // The status of the only pool.
  std::string status(const PoolFilter& filter = {.driver = "d"}) const {
    const auto texts = statuses(filter);
    return texts.size() == 1 ? texts.front() : fmt::format("{} pools", texts.size());
  }

  PoolInputs inputs;
};

}  // namespace dcm::resource_pool_status
