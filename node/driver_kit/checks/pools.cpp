#include "node/driver_kit/checks/pools.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "node/driver_kit/checks/names.hpp"
#include "node/driver_kit/checks/parts.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;

// For one pool, over all of its slices.
class PoolCheck {
 public:
  PoolCheck(const SliceOwner& owner, const DevicePool& pool, Fault& fault)
      : owner_(owner), pool_(pool), fault_(fault) {}

  void run() {
    check_own_fields();
    const auto contents = contents_of(pool_);
    for (const json::object& content : contents) check_slice(content);
    constexpr const char* kType = "partitionTypeAttribute";
    const bool is_left_out = std::ranges::none_of(
        contents, [](const json::object& content) { return content.contains(kType); });
    if (pool_.more.contains(kType) && is_left_out) {
      Field(nullptr, kType, fault_).refuse("needs devices that consume counters");
    }
  }

 private:
  // The kit writes these itself.
  void check_own_fields() {
    for (const std::string_view field :
         {"driver", "pool", "nodeName", "devices", "sharedCounters"}) {
      if (pool_.more.contains(field))
        Field(nullptr, std::string(field), fault_).refuse("set by the kit");
    }
  }

  void check_slice(const json::object& content) {
    json::object spec = content;
    if (!owner_.node.empty()) spec["nodeName"] = owner_.node;
    const json::value whole(std::move(spec));
    const Field slice(&whole, "", fault_);
    check_place_of_slice(slice);
    if (slice.at("devices").is_set() && slice.at("sharedCounters").is_set()) {
      slice.at("sharedCounters").refuse("must be in a slice without devices");
    }
    check_counter_sets(slice.at("sharedCounters"));
    check_devices(slice);
    check_skipped(slice.at("skipNodeOperations"));
    check_partition_type(slice);
  }

  void check_counter_sets(const Field& list) {
    const auto sets = list.items();
    if (sets.size() > kCounterSetsMax) list.refuse("must have at most 8 items in a slice");
    for (const Field& set : sets) {
      const std::string_view name = set.at("name").text();
      set.at("name").refuse_if(problem_with_label(name));
      check_counters(set.at("counters"));
      auto& counters = counter_sets_[std::string(name)];
      if (!counters.empty()) set.at("name").refuse("there are two of this name in the pool");
      for (const auto& [counter, _] : set.at("counters").entries()) counters.insert(counter);
    }
  }

  void check_devices(const Field& slice) {
    const auto devices = slice.at("devices").items();
    const bool is_any_complex = std::ranges::any_of(devices, [](const Field& each) {
      return each.value()->is_object() && is_complex(each.value()->get_object());
    });
    if (devices.size() > (is_any_complex ? kComplexDevicesMax : kDevicesMax)) {
      slice.at("devices").refuse(
          "must be at most 128 in a slice, or 64 where one has taints, counters or lists");
    }
    for (const Field& each : devices) check_one(named(each), slice);
  }

  // "devices[gpu-0]" if it has a name.
  static Field named(const Field& device) {
    const std::string_view name = device.at("name").text();
    return name.empty() ? device : device.renamed(fmt::format("devices[{}]", name));
  }

  void check_one(const Field& device, const Field& slice) {
    check_device(device, slice.at("perDeviceNodeSelection").flag());
    if (!devices_.insert(std::string(device.at("name").text())).second) {
      device.refuse("there are two devices of this name in the pool");
    }
    check_references(device);
    for (const std::string_view kind : {"attributes", "capacity"}) {
      for (const auto& [name, field] : device.at(kind).entries()) {
        if (name.starts_with(owner_.driver + "/")) {
          field.refuse("leave out the driver's own prefix");
        }
      }
    }
  }

  // The consumed counters must exist. Schedulers ignore a pool otherwise.
  void check_references(const Field& device) {
    for (const Field& consumed : device.at("consumesCounters").items()) {
      const auto set = counter_sets_.find(std::string(consumed.at("counterSet").text()));
      if (set == counter_sets_.end()) {
        consumed.at("counterSet").refuse("is not in the pool's slices before this device");
        continue;
      }
      for (const auto& [name, counter] : consumed.at("counters").entries()) {
        if (!set->second.contains(name)) counter.refuse("is not in that counter set");
      }
    }
  }

  static void check_skipped(const Field& list) {
    std::set<std::string_view> operations;
    for (const Field& each : check_set(list, 3, [](const Field& item) { return item.text(); })) {
      const std::string_view name = each.text();
      operations.insert(name);
      if (name != "*" && name != "NodePrepareResources" && name != "NodeUnprepareResources") {
        each.refuse("must be NodePrepareResources, NodeUnprepareResources or *");
      }
    }
    if (operations.contains("NodePrepareResources") && operations.size() == 1) {
      list.refuse("NodePrepareResources needs NodeUnprepareResources as well");
    }
  }

  // The attribute that gives the type of a partition: a string of each device that consumes
  // counters.
  void check_partition_type(const Field& slice) {
    const Field type = slice.at("partitionTypeAttribute");
    if (!type.is_set()) return;
    const std::string name(type.text());
    type.refuse_if(problem_with_attribute_name(name));
    if (!name.contains('/')) type.refuse("must be domain/name");
    const bool is_own = name.starts_with(owner_.driver + "/");
    const std::string key = is_own ? name.substr(owner_.driver.size() + 1) : name;
    for (const Field& each : slice.at("devices").items()) {
      if (each.at("consumesCounters").items().empty()) continue;
      const Field attribute = named(each).at("attributes").entry(key);
      if (!attribute.is_set()) {
        attribute.refuse(
            "must be set: the device consumes counters, and partitionTypeAttribute names it");
      } else if (!attribute.at("string").is_set()) {
        attribute.refuse("must be a string: a partition's type");
      }
    }
  }

  const SliceOwner& owner_;
  const DevicePool& pool_;
  Fault& fault_;
  std::set<std::string> devices_;
  std::map<std::string, std::set<std::string>> counter_sets_;  // with their counters
};

}  // namespace

std::optional<std::string> problem_of(const SliceOwner& owner,
                                      const std::vector<DevicePool>& pools) {
  Fault fault;
  Field(nullptr, "driver", fault).refuse_if(problem_with_driver_name(owner.driver));
  // It is in the names of slices, which have no capitals.
  Field(nullptr, "driver", fault).refuse_if(problem_with_subdomain(owner.driver));
  if (!owner.node.empty()) {
    Field(nullptr, "nodeName", fault).refuse_if(problem_with_subdomain(owner.node));
  }
  std::set<std::string_view> names;
  for (const DevicePool& pool : pools) {
    if (fault) return fault;
    Fault fault_of_pool;
    Field(nullptr, "pool.name", fault_of_pool).refuse_if(problem_with_pool_name(pool.name));
    if (!names.insert(pool.name).second) {
      Field(nullptr, "pool.name", fault_of_pool).refuse("there are two pools of this name");
    }
    PoolCheck(owner, pool, fault_of_pool).run();
    if (fault_of_pool) fault = fmt::format("pool {}: {}", pool.name, *fault_of_pool);
  }
  return fault;
}

}  // namespace dcm::driver_kit
