// Clusters for test tables: API objects in JSON with single quotes, and answers as one line.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "allocation/allocator.hpp"
#include "allocation/explain.hpp"
#include "test/unit/allocation/parse.hpp"

namespace dcm::allocation {

// A node "n" in zone "z", a class "any" without selectors, and added objects.
class World {
  Options options() const {
    return {.steps_max = steps_max, .is_time_up = is_time_up, .new_share_id = new_share_id};
  }
  template <class Use>
  auto with_allocator(Use use) {
    std::vector<ClaimView> views;
    for (const Claim& claim : claims) views.push_back({claim.meta.key, claim.spec});
    const auto find_class = [this](const std::string& name) {
      const auto found = classes.find(name);
      return found == classes.end() ? nullptr : found->second;
    };
    cel::SelectorCompiler compiler;
    Allocator allocator({slices, usage, rules, features}, views, find_class, compiler);
    return use(allocator);
  }

 public:
  World() : node(parse<NodeFields, Node>("{'metadata': {'name': 'n', 'labels': {'zone': 'z'}}}")) {
    device_class("any", "");
  }

  World& slice(std::string_view name, std::string_view spec) {
    slices.add(parse_slice(name, spec));
    return *this;
  }
  // Adds devices on node "n", each as fields without braces.
  World& devices(const std::vector<std::string>& all) {
    return slice("s", fmt::format("'nodeName': 'n', 'devices': [{}]", join(all)));
  }
  World& device_class(const std::string& name, std::string_view spec) {
    classes[name] = api::ObjectPtr<DeviceClass>(parse<DeviceClassFields, DeviceClass>(
        fmt::format("{{'metadata': {{'name': '{}'}}, 'spec': {{{}}}}}", name, spec)));
    return *this;
  }
  // Adds a claim with these requests, each as fields without braces, and further fields of its
  // `devices`.
  World& claim(const std::vector<std::string>& requests, std::string_view more = "") {
    claims.push_back(parse<ClaimFields, Claim>(
        fmt::format("{{'metadata': {{'name': 'c{}', 'namespace': 'ns'}}, 'spec': {{'devices': "
                    "{{'requests': [{}]{}{}}}}}}}",
                    claims.size(), join(requests), more.empty() ? "" : ", ", more)));
    return *this;
  }
  World& use(std::string_view device) {
    usage.take_device({"d", "p", device});
    return *this;
  }

  Allocation allocate() {
    return with_allocator([this](Allocator& all) { return all.allocate(node, options()); });
  }
  NodeExplanation explain() {
    return with_allocator([this](Allocator& all) { return explain_node(all, node, options()); });
  }
  // "r=a r=b | q=c" (claims separated), "no fit", "error: …" or "this node: …".
  std::string answer() {
    const Allocation allocation = allocate();
    if (allocation.error) {
      return (allocation.error->is_only_this_node ? "this node: " : "error: ") +
             allocation.error->text;
    }
    if (!allocation.fits) return "no fit";
    std::string text;
    for (const AllocationResult& result : allocation.results) {
      if (!text.empty()) text += " | ";
      for (const DeviceResult& device : result.devices) {
        if (!text.empty() && text.back() != ' ') text += ' ';
        text += device.request + "=" + device.id.device.str();
      }
    }
    return text;
  }

  SliceIndex slices;
  std::map<std::string, api::ObjectPtr<DeviceClass>> classes;
  std::deque<Claim> claims;
  std::vector<TaintRule> rules;
  Usage usage;
  Node node;
  Features features;
  std::uint64_t steps_max = 1'000'000;
  std::function<bool()> is_time_up;
  std::function<std::string()> new_share_id = [] { return "share"; };

 private:
  static std::string join(const std::vector<std::string>& objects) {
    std::string text;
    for (const std::string& object : objects)
      text += fmt::format("{}{{{}}}", text.empty() ? "" : ", ", object);
    return text;
  }
};

// A request for class "any", with a name and further fields of `exactly`.
inline std::string exactly(std::string_view name, std::string_view more = "'count': 1") {
  const std::string_view mode =
      more.contains("allocationMode") ? "" : "'allocationMode': 'ExactCount', ";
  const std::string_view device_class =
      more.contains("deviceClassName") ? "" : "'deviceClassName': 'any', ";
  return fmt::format("'name': '{}', 'exactly': {{{}{}{}}}", name, mode, device_class, more);
}

inline std::string device(std::string_view name, std::string_view more = "") {
  return fmt::format("'name': '{}'{}{}", name, more.empty() ? "" : ", ", more);
}

}  // namespace dcm::allocation
