#include "node/driver_kit/slices/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "node/driver_kit/json.hpp"
#include "node/driver_kit/slices/slice.hpp"
#include "node/driver_kit/slices/taint_times.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;

// The API server refuses a longer generateName, and uses only its first 58 bytes.
constexpr std::size_t kPrefixBytesMax = 253;

// A pool's existing slices, and their planned changes.
class PoolPlan {
 public:
  PoolPlan(const SliceOwner& owner, const DevicePool& pool, const AcceptedSlices& accepted)
      : owner_(owner), name_(pool.name), slices_(contents_of(pool)), accepted_(accepted) {}

  void make(const std::vector<const json::object*>& published, SlicePlan& plan) {
    for (const json::object* slice : published) {
      generation_ = std::max(generation_, generation_of(*slice));
    }
    // No generation follows the last one: the pool is deleted, and begins again.
    const bool is_last = generation_ == std::numeric_limits<std::int64_t>::max();
    TaintTimes times;  // from the newest generation, if several know a taint
    for (const json::object* slice : published) {
      if (generation_of(*slice) == generation_) times.add({slice});
    }
    times.add(published);
    for (json::object& slice : slices_) slice = times.with_times(std::move(slice));
    for (const json::object* slice : published) {
      if (is_last || !match(*slice)) plan.obsolete.push_back(*slice);
    }
    if (is_last) generation_ = 0;
    std::set<std::size_t> changed;
    for (const auto& [index, slice] : current_) {
      if (!is_as_wanted(index, *slice)) changed.insert(index);
    }
    // A pool changed by one write is complete at any time; any other is complete by its generation.
    const bool is_new_generation = current_.size() < slices_.size() || changed.size() > 1;
    if (is_new_generation) ++generation_;
    for (const auto& [index, slice] : current_) {
      if (is_new_generation || changed.contains(index)) {
        plan.updates.push_back(updated(index, *slice));
      }
    }
    for (std::size_t index = 0; index < slices_.size(); ++index) {
      if (!current_.contains(index)) plan.creates.push_back(created(index));
    }
  }

 private:
  bool match(const json::object& slice) {
    const auto index = index_of(slice);
    return generation_of(slice) == generation_ && index && *index < slices_.size() &&
           current_.emplace(*index, &slice).second;
  }

  bool is_as_wanted(std::size_t index, const json::object& slice) const {
    const json::value* const pool = find_at(slice, "/spec/pool");
    if (pool == nullptr || *pool != json::value(pool_now())) return false;
    const json::object stored = slice_content(slice);
    if (slices_[index] == stored) return true;
    const auto accepted = accepted_.find(slice_name(slice));
    if (accepted == accepted_.end() || accepted->second.stored != stored) return false;
    TaintTimes times;  // the server has added them
    times.add({&slice});
    return times.with_times(accepted->second.written) == slices_[index];
  }

  json::object pool_now() const {
    return {{"name", name_},
            {"generation", generation_},
            {"resourceSliceCount", static_cast<std::int64_t>(slices_.size())}};
  }

  json::object updated(std::size_t index, const json::object& slice) const {
    json::object made = slice;
    made["spec"] = spec_of(slices_[index]);
    return made;
  }

  json::object created(std::size_t index) const {
    std::string prefix = fmt::format("{:0{}x}-{}-", index, kIndexDigits, owner_.driver);
    if (!owner_.node.empty()) prefix += owner_.node + "-";
    if (prefix.size() > kPrefixBytesMax) prefix = prefix.substr(0, kPrefixBytesMax - 1) + "-";
    json::object metadata{{"generateName", prefix}};
    if (!owner_.node.empty()) {
      metadata["ownerReferences"] = json::array{json::object{{"apiVersion", "v1"},
                                                             {"kind", "Node"},
                                                             {"name", owner_.node},
                                                             {"uid", owner_.node_uid},
                                                             {"controller", true}}};
    }
    return {{"apiVersion", "resource.k8s.io/v1"},
            {"kind", "ResourceSlice"},
            {"metadata", std::move(metadata)},
            {"spec", spec_of(slices_[index])}};
  }

  json::object spec_of(const json::object& content) const {
    json::object spec{{"driver", owner_.driver}};
    if (!owner_.node.empty()) spec["nodeName"] = owner_.node;
    spec["pool"] = pool_now();
    for (const auto& [field, value] : content) spec[field] = value;
    return spec;
  }

  const SliceOwner& owner_;
  std::string name_;
  std::vector<json::object> slices_;  // the content of each
  const AcceptedSlices& accepted_;
  std::int64_t generation_ = 0;
  std::map<std::size_t, const json::object*> current_;  // by index
};

}  // namespace

SlicePlan plan_slices(const SliceOwner& owner, const std::vector<DevicePool>& pools,
                      const std::vector<json::object>& published, const AcceptedSlices& accepted) {
  std::map<std::string, std::vector<const json::object*>> by_pool;
  for (const json::object& slice : published) by_pool[pool_of(slice)].push_back(&slice);
  SlicePlan plan;
  for (const DevicePool& pool : pools) {
    PoolPlan(owner, pool, accepted).make(by_pool[pool.name], plan);
    by_pool.erase(pool.name);
  }
  for (const auto& [pool, slices] : by_pool) {
    for (const json::object* slice : slices) plan.obsolete.push_back(*slice);
  }
  return plan;
}

}  // namespace dcm::driver_kit
