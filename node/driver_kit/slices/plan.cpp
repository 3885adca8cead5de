#include "node/driver_kit/slices/plan.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;

// Hexadecimal, at the beginning of a slice's name: schedulers look at slices by name.
constexpr std::size_t kIndexDigits = 5;

const json::value* find(const json::object& object, std::string_view pointer) {
  const json::value* found = nullptr;
  const json::object* at = &object;
  while (at != nullptr && !pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view key = pointer.substr(0, pointer.find('/'));
    found = at->if_contains(key);
    at = found != nullptr ? found->if_object() : nullptr;
    pointer.remove_prefix(key.size());
  }
  return pointer.empty() ? found : nullptr;
}

std::string text_at(const json::object& object, std::string_view pointer) {
  const json::value* const found = find(object, pointer);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::int64_t number_at(const json::object& object, std::string_view pointer) {
  const json::value* const found = find(object, pointer);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

std::string pool_of(const json::object& slice) {
  return text_at(slice, "/spec/pool/name");
}

std::int64_t generation_of(const json::object& slice) {
  return number_at(slice, "/spec/pool/generation");
}

// Which of its pool's slices it is, by its name; nothing: it was not made by these rules.
std::optional<std::size_t> index_of(const json::object& slice) {
  const std::string name = slice_name(slice);
  const std::size_t dash = name.find('-');
  std::size_t index = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), index, 16);
  const bool is_index = failure == std::errc() && dash == kIndexDigits && end == name.data() + dash;
  return is_index ? std::optional(index) : std::nullopt;
}

bool is_complex(const json::object& device) {
  return device.contains("taints") || device.contains("consumesCounters");
}

std::vector<json::array> split(const DevicePool& pool) {
  const std::size_t most =
      std::ranges::any_of(pool.devices, is_complex) ? kComplexDevicesMax : kDevicesMax;
  std::vector<json::array> slices(1);
  for (const json::object& device : pool.devices) {
    if (slices.back().size() == most) slices.emplace_back();
    slices.back().push_back(device);
  }
  return slices;
}

bool is_same_taint(const json::object& a, const json::object& b) {
  return std::ranges::all_of(
      std::initializer_list<std::string_view>{"key", "value", "effect"}, [&](std::string_view key) {
        const json::value* const in_a = a.if_contains(key);
        const json::value* const in_b = b.if_contains(key);
        return in_a == nullptr || in_b == nullptr ? in_a == in_b : *in_a == *in_b;
      });
}

// The taints of the device of that name; null: there are none.
const json::array* taints_of(const json::array& devices, const json::value& name) {
  for (const json::value& each : devices) {
    const json::object* const device = each.if_object();
    if (device == nullptr || device->if_contains("name") == nullptr) continue;
    if (device->at("name") != name) continue;
    const json::value* const taints = device->if_contains("taints");
    return taints != nullptr ? taints->if_array() : nullptr;
  }
  return nullptr;
}

// A taint keeps the time at which it was added, unless the driver says one.
void keep_time(json::object& taint, const json::array& before) {
  if (taint.contains("timeAdded")) return;
  for (const json::value& each : before) {
    const json::object* const old = each.if_object();
    if (old == nullptr || !old->contains("timeAdded") || !is_same_taint(taint, *old)) continue;
    taint["timeAdded"] = old->at("timeAdded");
    return;
  }
}

json::array with_times(json::array devices, const json::array& published) {
  for (json::value& each : devices) {
    json::object& device = each.as_object();
    json::value* const taints = device.if_contains("taints");
    if (taints == nullptr || !taints->is_array() || !device.contains("name")) continue;
    const json::array* const before = taints_of(published, device.at("name"));
    for (json::value& taint : taints->get_array()) {
      if (before != nullptr && taint.is_object()) keep_time(taint.get_object(), *before);
    }
  }
  return devices;
}

// A pool's slices that are there, and what must become of them.
class PoolPlan {
 public:
  PoolPlan(const SliceOwner& owner, const DevicePool& pool, const AcceptedSlices& accepted)
      : owner_(owner), name_(pool.name), slices_(split(pool)), accepted_(accepted) {}

  void make(const std::vector<const json::object*>& published, SlicePlan& plan) {
    for (const json::object* slice : published) {
      generation_ = std::max(generation_, generation_of(*slice));
    }
    for (const json::object* slice : published) {
      if (!match(*slice)) plan.obsolete.push_back(*slice);
    }
    std::set<std::size_t> changed;
    for (const auto& [index, slice] : current_) {
      if (!is_as_wanted(index, *slice)) changed.insert(index);
    }
    // A pool that changes by one write is complete at any time; any other is so by its generation.
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
    const json::value* const pool = find(slice, "/spec/pool");
    if (pool == nullptr || *pool != json::value(pool_now())) return false;
    const json::array& stored = slice_devices(slice);
    const json::array& wanted = slices_[index];
    if (with_times(wanted, stored) == stored) return true;
    const auto accepted = accepted_.find(slice_name(slice));
    // What was written may have had times that `wanted` has not.
    return accepted != accepted_.end() && accepted->second.stored == stored &&
           with_times(accepted->second.written, stored) == with_times(wanted, stored);
  }

  json::object pool_now() const {
    return {{"name", name_},
            {"generation", generation_},
            {"resourceSliceCount", static_cast<std::int64_t>(slices_.size())}};
  }

  json::object updated(std::size_t index, const json::object& slice) const {
    json::object made = slice;
    json::object& spec = made["spec"].as_object();
    spec["pool"] = pool_now();
    spec["devices"] = with_times(slices_[index], slice_devices(slice));
    return made;
  }

  json::object created(std::size_t index) const {
    const std::string prefix =
        fmt::format("{:0{}x}-{}-{}-", index, kIndexDigits, owner_.driver, owner_.node);
    const json::object node{{"apiVersion", "v1"},
                            {"kind", "Node"},
                            {"name", owner_.node},
                            {"uid", owner_.node_uid},
                            {"controller", true}};
    return {{"apiVersion", "resource.k8s.io/v1"},
            {"kind", "ResourceSlice"},
            {"metadata",
             json::object{{"generateName", prefix}, {"ownerReferences", json::array{node}}}},
            {"spec", json::object{{"driver", owner_.driver},
                                  {"nodeName", owner_.node},
                                  {"pool", pool_now()},
                                  {"devices", slices_[index]}}}};
  }

  const SliceOwner& owner_;
  std::string name_;
  std::vector<json::array> slices_;  // the devices of each
  const AcceptedSlices& accepted_;
  std::int64_t generation_ = 0;
  std::map<std::size_t, const json::object*> current_;  // by index
};

void find_dropped(const json::value& written, const json::value& stored, const std::string& path,
                  std::vector<std::string>& dropped) {
  if (const json::object* const object = written.if_object()) {
    for (const auto& [key, value] : *object) {
      const std::string at = path.empty() ? std::string(key) : path + "." + std::string(key);
      const json::value* const kept =
          stored.is_object() ? stored.get_object().if_contains(key) : nullptr;
      if (kept == nullptr) {
        dropped.push_back(at);
      } else {
        find_dropped(value, *kept, at, dropped);
      }
    }
  } else if (const json::array* const array = written.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      const std::string at = fmt::format("{}[{}]", path, i);
      if (!stored.is_array() || stored.get_array().size() <= i) {
        dropped.push_back(at);
      } else {
        find_dropped((*array)[i], stored.get_array()[i], at, dropped);
      }
    }
  }
}

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

std::vector<std::string> dropped_fields(const json::array& written, const json::array& stored) {
  std::vector<std::string> dropped;
  find_dropped(written, stored, "devices", dropped);
  return dropped;
}

std::string slice_name(const json::object& slice) {
  return text_at(slice, "/metadata/name");
}

const json::array& slice_devices(const json::object& slice) {
  static const json::array none;
  const json::value* const devices = find(slice, "/spec/devices");
  return devices != nullptr && devices->is_array() ? devices->get_array() : none;
}

}  // namespace dcm::driver_kit
