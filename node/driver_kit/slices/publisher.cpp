#include "node/driver_kit/slices/publisher.hpp"

#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "node/devices/health.hpp"
#include "node/driver_kit/checks/pools.hpp"
#include "node/driver_kit/slices/slice.hpp"
#include "node/driver_kit/slices/taint_times.hpp"

namespace dcm::driver_kit {

namespace json = boost::json;
using runtime::Deadline;
using runtime::Result;

SlicePublisher::SlicePublisher(runtime::TimeSource& time, SliceApi& api, std::string driver,
                               std::string node, runtime::Logger log)
    : time_(time),
      api_(api),
      owner_{.driver = std::move(driver), .node = std::move(node), .node_uid = {}},
      log_(std::move(log)),
      news_(time) {}

Result<> SlicePublisher::publish(std::vector<DevicePool> pools) {
  if (const auto problem = problem_of(owner_, pools)) {
    log_.error("Cannot publish pools", {{"driver", owner_.driver}, {"error", *problem}});
    return runtime::fail(runtime::Reason::configuration, *problem);
  }
  // Kept while the slices are gone, for example because the node deleted a lost driver's.
  std::map<std::string, TaintTimes> times;
  for (const DevicePool& pool : pools_) times[pool.name].add(pool);
  for (DevicePool& pool : pools) times[pool.name].set(pool);
  pools_ = std::move(pools);
  ++published_;
  news_.notify_all();
  return {};
}

void SlicePublisher::observe_change() {
  ++changes_;
  news_.notify_all();
}

Task<> SlicePublisher::run() {
  runtime::Duration retry{};
  co_await wait_for_pools(0, {});
  while (true) {
    const std::uint64_t pools = published_;
    const std::uint64_t changes = changes_;
    const Result<> written = co_await write();
    if (written) {
      retry = {};
      while (published_ == pools && changes_ == changes) co_await news_.wait();
      co_await wait_for_pools(pools, Deadline::after(time_, kMendDelay));
    } else {
      log_.warning("Cannot publish ResourceSlices",
                   {{"driver", owner_.driver}, {"error", to_string(written.error())}});
      retry = kRetry.after(retry);
      co_await wait_for_pools(pools, Deadline::after(time_, retry));
    }
  }
}

Task<> SlicePublisher::wait_for_pools(std::uint64_t seen, Deadline deadline) {
  while (published_ == seen && !deadline.has_passed(time_)) co_await news_.wait(deadline);
}

Task<Result<>> SlicePublisher::write() {
  const Result<std::vector<SliceApi::Slice>> published = co_await api_.list();
  if (!published) co_return runtime::fail(published.error());
  // A Node that was recreated has another UID, and its slices were deleted with the old one.
  if (!owner_.node.empty() && (owner_.node_uid.empty() || published->empty())) {
    Result<std::string> uid = co_await api_.node_uid();
    if (!uid) co_return runtime::fail(uid.error());
    if (uid->empty()) co_return runtime::fail(runtime::Reason::malformed, "the node has no UID");
    owner_.node_uid = *std::move(uid);
  }
  forget_all_but(*published);
  remember_times(*published);
  co_return co_await carry_out(plan_slices(owner_, pools_, *published, accepted_));
}

Task<Result<>> SlicePublisher::carry_out(SlicePlan plan) {
  for (json::object& slice : plan.obsolete) {
    const Result<> removed = co_await api_.remove(std::move(slice));
    if (!removed) co_return removed;
  }
  for (const json::object& slice : plan.updates) {
    const Result<SliceApi::Slice> stored = co_await send(&SliceApi::update, slice);
    if (!stored) co_return runtime::fail(stored.error());
    accept(slice, *stored);
  }
  for (const json::object& slice : plan.creates) {
    const Result<SliceApi::Slice> stored = co_await send(&SliceApi::create, slice);
    if (!stored) co_return runtime::fail(stored.error());
    accept(slice, *stored);
  }
  co_return Result<>();
}

Task<Result<SliceApi::Slice>> SlicePublisher::send(Write write, SliceApi::Slice slice) {
  Result<SliceApi::Slice> stored = co_await (api_.*write)(slice);
  if (stored || stored.error().reason != runtime::Reason::invalid) co_return stored;
  auto plain = without_lists(std::move(slice));
  if (!plain) co_return stored;
  Result<SliceApi::Slice> again = co_await (api_.*write)(*std::move(plain));
  co_return again ? std::move(again) : std::move(stored);  // the first refusal concerns all of it
}

// The server knows when a taint was added: that time is reused if the slice is recreated.
void SlicePublisher::remember_times(const std::vector<SliceApi::Slice>& published) {
  std::map<std::string, TaintTimes> times;
  for (const SliceApi::Slice& slice : published) times[pool_of(slice)].add({&slice});
  for (DevicePool& pool : pools_) times[pool.name].set(pool);
}

// Slices deleted by others reappear under other names.
void SlicePublisher::forget_all_but(const std::vector<SliceApi::Slice>& published) {
  std::set<std::string> names;
  for (const SliceApi::Slice& slice : published) names.insert(slice_name(slice));
  std::erase_if(accepted_, [&](const auto& each) { return !names.contains(each.first); });
}

void SlicePublisher::accept(const json::object& written, const json::object& stored) {
  const std::string name = slice_name(stored);
  AcceptedContent accepted{slice_content(written), slice_content(stored)};
  const auto dropped = dropped_fields(accepted.written, accepted.stored);
  AcceptedContent& before = accepted_[name];
  const bool is_known = before.written == accepted.written;
  before = std::move(accepted);
  if (dropped.empty() || is_known) return;
  log_.warning(
      "The API server drops fields of a ResourceSlice: it does not know them, or their feature is "
      "off",
      {{"slice", name}, {"fields", node::cut_message(fmt::format("{}", fmt::join(dropped, " ")))}});
}

}  // namespace dcm::driver_kit
