// Clusters for tables about devices: nodes, slices, classes and claims in JSON with single quotes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "explain/devices/asking_pod.hpp"
#include "explain/devices/explain_devices.hpp"
#include "test/unit/allocation/world.hpp"

namespace dcm::explain {

class DeviceWorld {
 public:
  // Has classes "any" (without selectors) and "gpu" (driver "gpu.example.com").
  DeviceWorld() {
    device_class("any", "");
    device_class("gpu", R"(device.driver == \"gpu.example.com\")");
  }

  DeviceWorld& node(std::string_view name, std::string_view zone = "z") {
    return node({.name = name}, zone);
  }
  DeviceWorld& node(allocation::Node made, std::string_view zone = "z") {
    made.labels = {{"kubernetes.io/hostname", made.name.str()}, {"zone", std::string(zone)}};
    listed.nodes.emplace_back(std::move(made));
    return *this;
  }
  DeviceWorld& device_class(std::string_view name, std::string_view selector) {
    listed.classes.emplace_back(
        allocation::parse<allocation::DeviceClassFields, allocation::DeviceClass>(fmt::format(
            "{{'metadata': {{'name': '{}'}}, 'spec': {{{}}}}}", name,
            selector.empty()
                ? ""
                : fmt::format("'selectors': [{{'cel': {{'expression': '{}'}}}}]", selector))));
    return *this;
  }
  // Adds devices on a node, in a pool of the same name; each as fields without braces.
  DeviceWorld& devices(std::string_view node, const std::vector<std::string>& all,
                       std::string_view more = "'pool': ") {
    const std::string pool =
        more == "'pool': "
            ? fmt::format("'pool': {{'name': '{}', 'generation': 1, 'resourceSliceCount': 1}}",
                          node)
            : std::string(more);
    return slice(fmt::format("'driver': 'gpu.example.com', 'nodeName': '{}', {}, 'devices': [{}]",
                             node, pool, objects(all)));
  }
  DeviceWorld& slice(std::string_view spec) {
    listed.slices.emplace_back(
        allocation::parse<allocation::SliceFields, allocation::Slice>(fmt::format(
            "{{'metadata': {{'name': 's{}'}}, 'spec': {{{}}}}}", listed.slices.size(), spec)));
    return *this;
  }
  // Adds an allocated claim "ns/name" with these devices of the pool, reserved for pods.
  DeviceWorld& held(std::string_view key, std::string_view pool,
                    const std::vector<std::string_view>& devices,
                    const std::vector<std::string_view>& pods, std::string_view more = "") {
    std::string results;
    for (const auto device : devices) {
      results += fmt::format(
          "{}{{'request': 'r', 'driver': 'gpu.example.com', 'pool': '{}', 'device': '{}'{}}}",
          results.empty() ? "" : ", ", pool, device, more);
    }
    std::string reserved;
    for (const auto pod : pods) {
      reserved += fmt::format("{}{{'resource': 'pods', 'name': '{}', 'uid': 'u'}}",
                              reserved.empty() ? "" : ", ", pod);
    }
    add_claim(key, fmt::format("'status': {{'allocation': {{'devices': {{'results': [{}]}}}}, "
                               "'reservedFor': [{}]}}",
                               results, reserved));
    return *this;
  }
  // The same, but reserved for a pod group.
  DeviceWorld& held_by_group(std::string_view key, std::string_view pool, std::string_view device,
                             std::string_view group) {
    add_claim(key, fmt::format("'status': {{'allocation': {{'devices': {{'results': [{{'request': "
                               "'r', 'driver': 'gpu.example.com', 'pool': '{}', 'device': "
                               "'{}'}}]}}}}, 'reservedFor': [{{'apiGroup': 'scheduling.k8s.io', "
                               "'resource': 'podgroups', 'name': '{}', 'uid': 'u'}}]}}",
                               pool, device, group));
    return *this;
  }
  DeviceWorld& serving(std::string_view name, std::string_view resource,
                       std::string_view created = "2026-01-01T00:00:00Z") {
    listed.classes.emplace_back(
        allocation::parse<allocation::DeviceClassFields, allocation::DeviceClass>(
            fmt::format("{{'metadata': {{'name': '{}', 'creationTimestamp': '{}'}}, 'spec': "
                        "{{'extendedResourceName': '{}'}}}}",
                        name, created, resource)));
    return *this;
  }
  // Sets the pod in question, by its spec in JSON. Its claims are found by name.
  DeviceWorld& pod(std::string_view spec) {
    asking = allocation::parse<AskingPodFields, AskingPod>(
        fmt::format("{{'metadata': {{'name': 'p', 'namespace': 'lab'}}, 'spec': {{{}}}}}", spec));
    return *this;
  }
  // Sets the pod: its only container "c" requests that much of an extended resource.
  DeviceWorld& pod_with_resource(std::string_view resource, int amount = 1) {
    return pod(
        fmt::format("'containers': [{{'name': 'c', 'resources': {{'requests': {{'cpu': "
                    "'100m', '{}': '{}'}}}}}}]",
                    resource, amount));
  }
  // Adds a claim of the pod in question, "lab/p", with these requests.
  DeviceWorld& wants(const std::vector<std::string>& requests, std::string_view more = "") {
    const std::string key = fmt::format("lab/c{}", wanted.size());
    wanted.push_back(
        add_claim(key, fmt::format("'spec': {{'devices': {{'requests': [{}]{}{}}}}}",
                                   objects(requests), more.empty() ? "" : ", ", more)));
    return *this;
  }
  DeviceWorld& rule(std::string_view name, std::string_view device, std::string_view taint) {
    api::DeviceTaintRule made;
    made.meta.key.name = name;
    made.selector.emplace().device = device;
    made.taint.key = taint;
    made.taint.effect = api::TaintEffect::no_execute;
    listed.rules.emplace_back(std::move(made));
    return *this;
  }

  // Returns "outlook Reason: text" lines; surveys at most this many nodes.
  std::string explain(std::size_t nodes_max = 1000) {
    DeviceInventory inventory(listed);
    if (asking) {
      const auto asked = question_of(*asking, inventory, question.names);
      if (!asked) return "the scheduler does not get as far as devices";
      question = *asked;
    }
    question.namespace_ = "lab";
    for (const auto& claim : wanted) question.claims.push_back(claim.get());
    DeviceSurvey survey(inventory, question);
    while (nodes_max > 0 && survey.advance()) --nodes_max;
    const common::Topic topic = explain_devices(survey);
    std::string text;
    for (const common::Finding& finding : topic.findings) {
      text += fmt::format("{} {}: {}\n", to_string(finding.outlook), finding.reason, finding.text);
    }
    return text;
  }

  ListedDevices listed;
  DeviceQuestion question;
  std::optional<AskingPod> asking;
  std::vector<api::ObjectPtr<allocation::Claim>> wanted;

 private:
  api::ObjectPtr<allocation::Claim> add_claim(std::string_view key, std::string_view fields) {
    const auto slash = key.find('/');
    listed.claims.emplace_back(allocation::parse<allocation::ClaimFields, allocation::Claim>(
        fmt::format("{{'metadata': {{'namespace': '{}', 'name': '{}'}}, {}}}", key.substr(0, slash),
                    key.substr(slash + 1), fields)));
    return listed.claims.back();
  }
  static std::string objects(const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& each : all)
      text += fmt::format("{}{{{}}}", text.empty() ? "" : ", ", each);
    return text;
  }
};

// A device of that model.
inline std::string gpu(std::string_view name, std::string_view model, std::string_view more = "") {
  return allocation::device(name, fmt::format("'attributes': {{'model': {{'string': '{}'}}}}{}{}",
                                              model, more.empty() ? "" : ", ", more));
}
// A request for devices of that model, class "gpu".
inline std::string wants_model(std::string_view name, std::string_view model, int count = 1) {
  return allocation::exactly(
      name, fmt::format(R"('deviceClassName': 'gpu', 'count': {}, 'selectors': [{{'cel':
            {{'expression': 'device.attributes[\"gpu.example.com\"].model == \"{}\"'}}}}])",
                        count, model));
}

}  // namespace dcm::explain
