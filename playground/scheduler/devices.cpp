#include "playground/scheduler/devices.hpp"

#include <algorithm>
#include <optional>

#include "allocation/taint_rules.hpp"

namespace dcm::playground {

void Devices::observe_slice(const api::ObjectPtr<Slice>& before,
                            const api::ObjectPtr<Slice>& after) {
  if (before) {
    slices_.remove(*before);
    published_ -= before->devices.size();
  }
  if (after) {
    slices_.add(after);
    published_ += after->devices.size();
  }
  // A slice can complete a pool that has devices on other nodes, too.
  ++everywhere_;
}

void Devices::observe_rule(const api::ObjectPtr<api::DeviceTaintRule>& before,
                           const api::ObjectPtr<api::DeviceTaintRule>& after) {
  const auto rule = after ? allocation::taint_rule(*after) : std::nullopt;
  if (rule) {
    rules_by_name_[rule->name] = *rule;
  } else {
    rules_by_name_.erase((after ? after : before)->meta.key.name.str());
  }
  rules_.clear();
  for (const auto& [name, each] : rules_by_name_) rules_.push_back(each);
  ++everywhere_;
}

void Devices::observe_class(const api::ObjectPtr<DeviceClass>& before,
                            const api::ObjectPtr<DeviceClass>& after) {
  if (before && !before->extended_resource_name.empty()) {
    const auto classes = classes_by_resource_.find(before->extended_resource_name);
    classes->second.erase(before);
    if (classes->second.empty()) classes_by_resource_.erase(classes);
  }
  if (after && !after->extended_resource_name.empty()) {
    classes_by_resource_[after->extended_resource_name].insert(after);
  }
  ++everywhere_;
}

void Devices::take(const allocation::AllocationResult& allocation) {
  for (const allocation::DeviceResult& result : allocation.devices) usage_.take(result);
}

void Devices::give_back(const allocation::AllocationResult& allocation) {
  for (const allocation::DeviceResult& result : allocation.devices) {
    usage_.give_back(result);
    note_freed(result.id);
  }
}

void Devices::note_freed(const api::DeviceId& id) {
  const auto slices = slices_.of_pool({id.driver, id.pool});
  const auto node = slices.empty() ? std::nullopt : slices.front()->nodes.node_name;
  const bool is_of_one_node = node && std::ranges::all_of(slices, [&](const auto& slice) {
                                return slice->nodes.node_name == node;
                              });
  ++(is_of_one_node ? by_node_[*node] : everywhere_);
}

std::uint64_t Devices::version(const InternedString& node) const {
  const auto found = by_node_.find(node);
  return everywhere_ + (found == by_node_.end() ? 0 : found->second);
}

std::string_view Devices::class_with_resource(const std::string& name) const {
  const auto found = classes_by_resource_.find(name);
  if (found == classes_by_resource_.end()) return {};
  return (*found->second.begin())->meta.key.name;
}

}  // namespace dcm::playground
