#include "controllers/resource_pool_status/api/read_pools.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "allocation/json/decode.hpp"
#include "allocation/taint_rules.hpp"
#include "client/discovery/discovery.hpp"
#include "client/request/typed.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"

namespace dcm::resource_pool_status {
namespace {

using client::Selection;
using client::Served;
using runtime::Reason;
using runtime::Result;
using runtime::Task;

template <class T>
using Objects = std::vector<api::Decoded<T>>;

std::unexpected<runtime::Error> cannot_read(std::string_view what, runtime::Error error) {
  error.message = fmt::format("{}: {}", what, error.message);
  return std::unexpected(std::move(error));
}

template <class T>
Task<Result<Objects<T>>> list(client::RestClient& rest, const api::ResourceKind& kind,
                              Served served, std::unique_ptr<api::Decoder<T>> decoder,
                              Selection selection, client::CallOptions options) {
  client::TypedClient<T> typed(rest, client::resource_of(kind, served), *decoder);
  Result<Objects<T>> listed = co_await typed.list_all(std::move(selection), options);
  if (!listed) co_return cannot_read(std::string(kind.kind) + "s", std::move(listed.error()));
  co_return listed;
}

Task<Result<Served>> find_version(client::RestClient& rest, client::KindSet kinds,
                                  runtime::Deadline deadline) {
  client::Discovery discovery(rest);
  const client::Availability found = co_await discovery.find(std::move(kinds), deadline);
  co_return client::served_of(found);
}

std::string driver_selector(const PoolFilter& filter) {
  return filter.driver.empty() ? "" : "spec.driver=" + filter.driver.str();
}

// API servers before 1.37 cannot select slices by pool: they answer with a bad request.
Task<Result<Objects<allocation::Slice>>> list_slices(client::RestClient& rest, Served served,
                                                     PoolFilter filter,
                                                     client::CallOptions options) {
  const std::string of_driver = driver_selector(filter);
  if (!filter.pool.empty()) {
    auto listed = co_await list(
        rest, api::kResourceSlices, served, allocation::make_slice_decoder(),
        {.field_selector = fmt::format("{},spec.pool.name={}", of_driver, filter.pool.str())},
        options);
    if (listed || listed.error().reason != Reason::bad_request) co_return listed;
  }
  co_return co_await list(rest, api::kResourceSlices, served, allocation::make_slice_decoder(),
                          {.field_selector = of_driver}, options);
}

// Counts only the driver's devices: no others are needed.
void take(const Objects<allocation::Claim>& claims, const PoolFilter& filter,
          allocation::Usage& usage) {
  for (const auto& claim : claims) {
    if (claim.object == nullptr) continue;
    for (const allocation::DeviceResult& result : claim.object->allocation->devices) {
      if (filter.driver.empty() || filter.driver == result.id.driver) usage.take(result);
    }
  }
}

// Rules that are not served taint nothing.
Task<Result<std::vector<allocation::TaintRule>>> read_rules(client::RestClient& rest,
                                                            client::CallOptions options) {
  std::vector<allocation::TaintRule> rules;
  const Result<Served> served =
      co_await find_version(rest, {&api::kDeviceTaintRules}, options.deadline);
  if (!served && served.error().reason == Reason::not_served) co_return rules;
  if (!served) co_return cannot_read("DeviceTaintRules", served.error());
  const auto listed = co_await list(rest, api::kDeviceTaintRules, *served,
                                    api::make_json_rule_decoder(), {}, options);
  if (!listed) co_return runtime::fail(listed.error());
  for (const auto& each : *listed) {
    if (auto rule = allocation::taint_rule(*each.object)) rules.push_back(*std::move(rule));
  }
  co_return rules;
}

}  // namespace

Task<Result<PoolInputs>> read_pools(client::RestClient& rest, PoolFilter filter, TaintRules rules,
                                    client::CallOptions options) {
  PoolInputs inputs;
  const Result<Served> served =
      co_await find_version(rest, {&api::kResourceClaims, &api::kResourceSlices}, options.deadline);
  if (!served) co_return runtime::fail(served.error());
  auto slices = co_await list_slices(rest, *served, filter, options);
  if (!slices) co_return runtime::fail(std::move(slices.error()));
  for (auto& slice : *slices) inputs.slices.push_back(std::move(slice.object));
  const auto claims = co_await list(rest, api::kResourceClaims, *served,
                                    allocation::make_allocated_claim_decoder(), {}, options);
  if (!claims) co_return runtime::fail(claims.error());
  take(*claims, filter, inputs.usage);
  if (rules == TaintRules::are_ignored) co_return inputs;
  auto read = co_await read_rules(rest, options);
  if (!read) co_return runtime::fail(std::move(read.error()));
  inputs.rules = *std::move(read);
  co_return inputs;
}

}  // namespace dcm::resource_pool_status
