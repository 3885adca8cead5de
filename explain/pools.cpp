#include "explain/pools.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "controllers/api/encode_pool_status.hpp"
#include "controllers/common/explanation.hpp"
#include "controllers/resource_pool_status/api/read_pools.hpp"
#include "controllers/resource_pool_status/rules/decide_status.hpp"
#include "controllers/resource_pool_status/rules/pool_devices.hpp"
#include "options/help.hpp"
#include "runtime/ascii.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::explain {
namespace {

using options::wrap;

using resource_pool_status::PoolFilter;
using runtime::Result;
using runtime::Task;

constexpr std::size_t kTextWidth = 100;

// Splits "gpu.example.com/node-1" into its two parts.
PoolFilter filter_named(std::string_view name) {
  const std::size_t slash = std::min(name.find('/'), name.size());
  PoolFilter filter{.driver = name.substr(0, slash)};
  if (slash < name.size()) filter.pool = name.substr(slash + 1);
  return filter;
}

bool is_safe(std::string_view name) {
  return std::ranges::all_of(
      name, [](char c) { return runtime::is_alphanumeric(c) || c == '-' || c == '.' || c == '/'; });
}

std::string name_of(const api::PoolStatus& pool) {
  return fmt::format("{}/{}", pool.driver.str(), pool.pool.str());
}

// ---- text ---------------------------------------------------------------------------------------

struct Widths {
  std::size_t name = std::string_view("POOL").size();
  std::size_t node = std::string_view("NODE").size();

  explicit Widths(std::span<const api::PoolStatus> pools) {
    for (const api::PoolStatus& pool : pools) {
      name = std::max(name, name_of(pool).size());
      node = std::max(node, pool.node.str().size());
    }
  }
};

std::string row_of(const api::PoolStatus& pool, const Widths& widths) {
  const std::string head = fmt::format("{:{}}  {:{}}", name_of(pool), widths.name,
                                       pool.node.empty() ? "-" : pool.node.str(), widths.node);
  if (!pool.totals) return head + "  incomplete\n";
  return fmt::format("{}  {:>7}  {:>9}  {:>11}  {:>9}\n", head, pool.totals->total,
                     pool.totals->allocated, pool.totals->unavailable, pool.totals->available);
}

std::string line_of(const api::PartitionTypeStatus& partition) {
  return fmt::format("  partitions  {} of {} {} can still be allocated (by {})\n",
                     partition.allocatable, partition.total, partition.type, partition.attribute);
}

std::string lines_of(const api::ShareableStatus& shareable) {
  std::string lines =
      fmt::format("  shared      {} without a share in use, {} with one\n",
                  common::count(static_cast<std::size_t>(shareable.fully_available), "device"),
                  shareable.partially_available);
  for (const api::ShareableCapacityStatus& each : shareable.capacity) {
    lines += fmt::format("  shared      {}: {} of {} consumed, {} available\n", each.name,
                         each.consumed, each.total, each.available);
  }
  return lines;
}

// Empty if there is nothing to add to the table.
std::string details_of(const api::PoolStatus& pool) {
  std::string lines;
  for (const api::PartitionTypeStatus& partition : pool.partitions) lines += line_of(partition);
  if (pool.shareable) lines += lines_of(*pool.shareable);
  if (!pool.validation_error.empty()) {
    lines += wrap(pool.validation_error, 14, kTextWidth).replace(0, 9, "  problem");
  }
  return lines.empty() ? lines : fmt::format("\n{}\n{}", name_of(pool), lines);
}

std::string render_table(std::span<const api::PoolStatus> pools, runtime::WallTime at) {
  if (pools.empty()) return "No driver publishes devices: there are no ResourceSlices.\n";
  const Widths widths(pools);
  std::string text = fmt::format("{:{}}  {:{}}  DEVICES  ALLOCATED  UNAVAILABLE  AVAILABLE\n",
                                 "POOL", widths.name, "NODE", widths.node);
  for (const api::PoolStatus& pool : pools) text += row_of(pool, widths);
  for (const api::PoolStatus& pool : pools) text += details_of(pool);
  return text + fmt::format(
                    "\nCounted at {}. Unavailable: tainted with NoSchedule or NoExecute, "
                    "and not allocated.\nAvailable partitions of a device may exclude each "
                    "other.\n",
                    runtime::timestamp(at));
}

// Pools of which kube-scheduler hands out no device, though the API's status counts them as
// complete.
void flag_unusable(std::span<const resource_pool_status::PoolDevices> pools,
                   std::span<api::PoolStatus> statuses) {
  for (std::size_t i = 0; i < std::min(pools.size(), statuses.size()); ++i) {
    const resource_pool_status::PoolDevices& pool = pools[i];
    std::string& problem = statuses[i].validation_error;
    if (!problem.empty()) continue;
    std::size_t devices = 0;
    for (const allocation::Slice* const slice : pool.slices) devices += slice->devices.size();
    if (std::ssize(pool.slices) > pool.slices_expected()) {
      problem = fmt::format(
          "kube-scheduler allocates none of them: there are {} slices at generation {}, and their "
          "resourceSliceCount is {}",
          pool.slices.size(), pool.generation(), pool.slices_expected());
    } else if (devices > pool.devices.size()) {
      problem = "kube-scheduler allocates none of them: several devices have the same name";
    }
  }
}

}  // namespace

bool asks_for_pools(const std::vector<std::string>& words) {
  if (words.empty()) return false;
  const std::string kind = words.front().substr(0, words.front().find('/'));
  return kind == "pool" || kind == "pools";
}

Result<PoolFilter> pools_from_words(const std::vector<std::string>& words) {
  std::string name;
  if (const std::size_t slash = words.front().find('/'); slash != std::string::npos) {
    name = words.front().substr(slash + 1);
  }
  const bool is_named_once = words.size() == 1 || (words.size() == 2 && name.empty());
  if (words.size() == 2) name = words.back();
  const PoolFilter filter = filter_named(name);
  const bool is_good = is_named_once && is_safe(name) && !name.ends_with('/') &&
                       (name.empty() || !filter.driver.empty());
  if (is_good) return filter;
  return runtime::fail(runtime::Reason::configuration,
                       "expected pool, and perhaps a driver and the name of its pool: explain "
                       "pool gpu.example.com/node-1");
}

Task<ExplainOutcome> explain_pools(client::RestClient& rest, runtime::TimeSource& time,
                                   PoolQuestion question) {
  const auto inputs = co_await resource_pool_status::read_pools(
      rest, question.filter, resource_pool_status::TaintRules::count,
      {.deadline = question.deadline, .retries = client::Retries::allowed});
  if (!inputs) co_return ExplainOutcome{ExplainStatus::not_answered, inputs.error().message};
  auto pools = resource_pool_status::pool_statuses(question.filter, *inputs);
  flag_unusable(resource_pool_status::gather_pools(question.filter, *inputs), pools);
  if (pools.empty() && !question.filter.driver.empty()) {
    const auto& [driver, pool, attribute] = question.filter;
    co_return ExplainOutcome{
        ExplainStatus::no_such_object,
        pool.empty() ? fmt::format("driver {} publishes no pool", driver.str())
                     : fmt::format("driver {} publishes no pool {}", driver.str(), pool.str())};
  }
  co_return ExplainOutcome{ExplainStatus::explained,
                           render_pools(pools, time.wall_now(), question.format)};
}

std::string render_pools(std::span<const api::PoolStatus> pools, runtime::WallTime at,
                         Format format) {
  if (format != Format::json) return render_table(pools, at);
  return fmt::format("{{\"kind\":\"Pools\",\"at\":\"{}\",\"pools\":{}}}\n", runtime::timestamp(at),
                     api::encode_pools(pools));
}

}  // namespace dcm::explain
