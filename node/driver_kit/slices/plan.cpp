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

// In order, at most so many each.
std::vector<json::array> split(const std::vector<json::object>& items, std::size_t most) {
  std::vector<json::array> parts(1);
  for (const json::object& item : items) {
    if (parts.back().size() == most) parts.emplace_back();
    parts.back().push_back(item);
  }
  return parts;
}

json::array all_of(const std::vector<json::object>& items) {
  return json::array(items.begin(), items.end());
}

// What is the driver's in the spec of each of the pool's slices.
std::vector<json::object> contents_of(const DevicePool& pool) {
  std::vector<json::object> slices;
  const auto add = [&](std::string_view field, json::array items) {
    slices.push_back(pool.more);
    slices.back()[field] = std::move(items);
  };
  for (const SliceLayout& each : pool.layout) {
    add("devices", all_of(each.devices));
    if (each.shared_counters.empty()) continue;
    if (each.devices.empty()) slices.back().erase("devices");
    slices.back()["sharedCounters"] = all_of(each.shared_counters);
  }
  if (!slices.empty()) return slices;
  if (!pool.shared_counters.empty()) {
    for (json::array& sets : split(pool.shared_counters, kCounterSetsMax)) {
      add("sharedCounters", std::move(sets));
    }
  }
  const std::size_t most =
      std::ranges::any_of(pool.devices, is_complex) ? kComplexDevicesMax : kDevicesMax;
  for (json::array& devices : split(pool.devices, most)) add("devices", std::move(devices));
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

json::object with_times(json::object content, const json::object& published) {
  static const json::array none;
  json::value* const devices = content.if_contains("devices");
  if (devices == nullptr || !devices->is_array()) return content;
  const json::value* const before = published.if_contains("devices");
  const bool has_before = before != nullptr && before->is_array();
  *devices = with_times(devices->get_array(), has_before ? before->get_array() : none);
  return content;
}

// A pool's slices that are there, and what must become of them.
class PoolPlan {
 public:
  PoolPlan(const SliceOwner& owner, const DevicePool& pool, const AcceptedSlices& accepted)
      : owner_(owner), name_(pool.name), slices_(contents_of(pool)), accepted_(accepted) {}

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
    const json::object stored = slice_content(slice);
    const json::object& wanted = slices_[index];
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
    made["spec"] = spec_of(with_times(slices_[index], slice_content(slice)));
    return made;
  }

  json::object created(std::size_t index) const {
    std::string prefix = fmt::format("{:0{}x}-{}-", index, kIndexDigits, owner_.driver);
    if (!owner_.node.empty()) prefix += owner_.node + "-";
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

// The first name of an attribute or a capacity that has the driver's own domain before it.
std::optional<std::string> own_name_in(const json::object& content, const std::string& driver) {
  const json::value* const devices = content.if_contains("devices");
  if (devices == nullptr || !devices->is_array()) return std::nullopt;
  for (const json::value& device : devices->get_array()) {
    for (const std::string_view kind : {"attributes", "capacity"}) {
      const json::value* const named = device.as_object().if_contains(kind);
      if (named == nullptr || !named->is_object()) continue;
      for (const auto& [name, value] : named->get_object()) {
        if (std::string_view(name).starts_with(driver + "/")) return std::string(name);
      }
    }
  }
  return std::nullopt;
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

std::vector<std::string> dropped_fields(const json::object& written, const json::object& stored) {
  std::vector<std::string> dropped;
  find_dropped(written, stored, "", dropped);
  return dropped;
}

std::optional<std::string> problem_of(const SliceOwner& owner,
                                      const std::vector<DevicePool>& pools) {
  std::set<std::string_view> names;
  for (const DevicePool& pool : pools) {
    if (!names.insert(pool.name).second) return fmt::format("two pools are named {}", pool.name);
    for (const json::object& content : contents_of(pool)) {
      if (auto name = own_name_in(content, owner.driver)) {
        return fmt::format("pool {}: {}: leave out the driver's own prefix", pool.name, *name);
      }
    }
  }
  return std::nullopt;
}

std::string slice_name(const json::object& slice) {
  return text_at(slice, "/metadata/name");
}

json::object slice_content(const json::object& slice) {
  const json::value* const spec = find(slice, "/spec");
  if (spec == nullptr || !spec->is_object()) return {};
  json::object content = spec->get_object();
  for (const std::string_view field : {"driver", "nodeName", "pool"}) content.erase(field);
  return content;
}

const json::array& slice_devices(const json::object& slice) {
  static const json::array none;
  const json::value* const devices = find(slice, "/spec/devices");
  return devices != nullptr && devices->is_array() ? devices->get_array() : none;
}

}  // namespace dcm::driver_kit
