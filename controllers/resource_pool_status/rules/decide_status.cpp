#include "controllers/resource_pool_status/rules/decide_status.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "allocation/counters.hpp"
#include "controllers/resource_pool_status/rules/partitions.hpp"
#include "controllers/resource_pool_status/rules/pool_devices.hpp"
#include "controllers/resource_pool_status/rules/shareable.hpp"
#include "runtime/one_line.hpp"

namespace dcm::resource_pool_status {
namespace {

constexpr std::string_view kIncomplete = "PoolIncomplete:";

bool is_tainted(const PoolDevice& each, const std::vector<allocation::TaintRule>& rules) {
  const api::DeviceId id = each.id();
  return std::ranges::any_of(each.device->extras().taints, api::prevents_allocation,
                             &allocation::Taint::effect) ||
         std::ranges::any_of(rules, [&](const auto& rule) { return rule.selects(id); });
}

api::DeviceTotals count(const PoolDevices& pool, const PoolInputs& inputs) {
  api::DeviceTotals totals{.slices = std::ssize(pool.slices), .total = std::ssize(pool.devices)};
  for (const PoolDevice& each : pool.devices) {
    if (allocation::is_allocated(each.id(), inputs.usage)) {
      ++totals.allocated;
    } else if (is_tainted(each, inputs.rules)) {
      ++totals.unavailable;
    }
  }
  totals.available = totals.total - totals.allocated - totals.unavailable;
  return totals;
}

// Records an error; the first of two errors is kept.
void flag(api::PoolStatus& status, std::string_view error) {
  constexpr std::size_t kBytesMax = 256;
  if (status.validation_error.empty()) {
    status.validation_error = runtime::cut_utf8(error, kBytesMax);
  }
}

void add_views(const PoolDevices& pool, const PoolFilter& filter, const PoolInputs& inputs,
               api::PoolStatus& status) {
  auto partitions = count_partitions(pool, filter, inputs.usage);
  auto shareable = sum_shareable(pool, inputs.usage);
  if (!partitions) flag(status, partitions.error());
  if (!shareable) flag(status, shareable.error());
  if (partitions && shareable) status.partitions = *std::move(partitions);
  if (shareable) status.shareable = *std::move(shareable);
}

api::PoolStatus status_of(const PoolDevices& pool, const PoolFilter& filter,
                          const PoolInputs& inputs) {
  api::PoolStatus status{.driver = pool.id.driver,
                         .pool = pool.id.pool,
                         .node = pool.node(),
                         .generation = pool.generation()};
  if (!pool.is_complete()) {
    flag(status, fmt::format("{} pool {} is incomplete: observed {}/{} slices at generation {}",
                             kIncomplete, pool.id.str(), pool.slices.size(), pool.slices_expected(),
                             pool.generation()));
    return status;
  }
  status.totals = count(pool, inputs);
  add_views(pool, filter, inputs, status);
  return status;
}

std::string message_of(const std::vector<api::PoolStatus>& pools) {
  std::string message = fmt::format("Calculated status for {} pools", pools.size());
  const auto faulty = std::ranges::count_if(
      pools, [](const api::PoolStatus& pool) { return !pool.validation_error.empty(); });
  if (faulty > 0) message += fmt::format(" ({} incomplete)", faulty);
  return message;
}

}  // namespace

std::vector<api::PoolStatus> pool_statuses(const PoolFilter& filter, const PoolInputs& inputs) {
  std::vector<api::PoolStatus> statuses;
  for (const PoolDevices& pool : gather_pools(filter, inputs)) {
    statuses.push_back(status_of(pool, filter, inputs));
  }
  return statuses;
}

bool is_incomplete(const api::PoolStatus& pool) {
  return pool.validation_error.starts_with(kIncomplete);
}

StatusStep decide_status(const api::ResourcePoolStatusRequest& request, const PoolInputs& inputs,
                         Patience patience, runtime::WallTime now) {
  std::vector<api::PoolStatus> pools = pool_statuses(PoolFilter::of(request), inputs);
  const std::int64_t count = std::ssize(pools);
  if (count > request.limit) pools.resize(static_cast<std::size_t>(request.limit));
  if (patience == Patience::waits && std::ranges::any_of(pools, is_incomplete)) {
    return AwaitSlices{};
  }
  std::string message = message_of(pools);
  return api::PoolStatusAnswer{
      .pool_count = count, .pools = std::move(pools), .message = std::move(message), .time = now};
}

bool refuses_generation_zero(const runtime::Error& error) {
  return error.reason == runtime::Reason::invalid && !error.causes.empty() &&
         std::ranges::all_of(error.causes, [](const runtime::FieldCause& cause) {
           return cause.field.ends_with("].generation");
         });
}

api::PoolStatusAnswer without_generation_zero(api::PoolStatusAnswer answer) {
  for (api::PoolStatus& pool : answer.pools)
    pool.generation = std::max<std::int64_t>(pool.generation, 1);
  answer.message += "; generation 0 is shown as 1, the lowest that the API server accepts";
  return answer;
}

api::PoolStatusAnswer failed_status(std::string message, runtime::WallTime now) {
  return {
      .pools = {}, .condition = api::kPoolStatusFailed, .message = std::move(message), .time = now};
}

}  // namespace dcm::resource_pool_status
