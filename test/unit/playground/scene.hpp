// Nodes, classes, claims and pods for the playground's scheduler, on one line each. Objects are
// written as the API's JSON, and read by the scheduler's decoders.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "allocation/json/decode.hpp"
#include "playground/objects/decode.hpp"
#include "playground/scheduler/decide_placement.hpp"

namespace dcm::playground {

template <class T>
api::ObjectPtr<T> read_json(const std::unique_ptr<api::Decoder<T>>& decoder,
                            const std::string& json) {
  const auto decoded = decoder->decode_object(json);
  if (!decoded) throw std::runtime_error(decoded.error().message + ": " + json);
  return decoded->object;
}

struct Scene {
  Devices devices;
  std::vector<NodePtr> nodes;
  std::map<api::NamespacedName, ClaimPtr> claims;
  std::map<std::string, api::ObjectPtr<DeviceClass>> classes;
  std::map<std::string, api::ObjectPtr<Slice>> slices;
  std::vector<api::NamespacedName> in_flight;
  ClaimPtr stale_extended_claim;
  cel::SelectorCompiler compiler;
  Misfits misfits;
  int shares = 0;
  std::function<bool()> is_time_up;
  runtime::WallTime now{std::chrono::hours(1)};

  // "node-0", … with that many GPUs and NICs each, "dev-0", …
  explicit Scene(std::size_t node_count = 2, std::size_t device_count = 4) {
    for (std::size_t i = 0; i < node_count; ++i) {
      const std::string node = fmt::format("node-{}", i);
      add_node(node);
      for (const auto* const driver : {"gpu", "nic"}) add_devices(node, driver, device_count);
    }
    for (const auto* const driver : {"gpu", "nic"}) {
      add_class(driver, fmt::format(R"("selectors":[{{"cel":{{"expression":)"
                                    R"("device.driver == '{}'"}}}}])",
                                    driver));
    }
  }

  static api::NamespacedName key(const std::string& name) { return {"lab", name}; }

  // `spec` and `status` are further fields of the node's spec and status.
  void add_node(const std::string& name, const std::string& spec = "",
                const std::string& labels = "", const std::string& status = "") {
    const auto made = read_json(
        make_node_decoder(),
        fmt::format(
            R"({{"metadata":{{"uid":"u","resourceVersion":"1","name":"{}","labels":{{"kubernetes.io/hostname":"{}"{}}}}},)"
            R"("spec":{{{}}},"status":{{{}}}}})",
            name, name, labels, spec, status));
    const auto known =
        std::ranges::find_if(nodes, [&](const NodePtr& node) { return node->name == made->name; });
    if (known == nodes.end()) {
      nodes.push_back(made);
    } else {
      *known = made;
    }
    devices.observe_node(made->name);
  }
  void add_class(const std::string& name, const std::string& spec, const std::string& meta = "") {
    const auto made = read_json(
        allocation::make_device_class_decoder(),
        fmt::format(
            R"({{"metadata":{{"uid":"u","resourceVersion":"1","name":"{}"{}}},"spec":{{{}}}}})",
            name, meta, spec));
    devices.observe_class(classes[name], made);
    classes[name] = made;
  }
  // Adds slice `name` of a pool of that name; `spec` has all fields but driver and pool.
  void add_slice(const std::string& name, const std::string& driver, const std::string& spec,
                 int slice_count = 1) {
    const auto made = read_json(
        allocation::make_slice_decoder(),
        fmt::format(
            R"({{"metadata":{{"uid":"u","resourceVersion":"1","name":"{}"}},"spec":{{"driver":"{}","pool":{{"name":"{}",)"
            R"("generation":1,"resourceSliceCount":{}}},{}}}}})",
            name + "-" + driver, driver, name, slice_count, spec));
    devices.observe_slice(slices[made->meta.key.name.str()], made);
    slices[made->meta.key.name.str()] = made;
  }
  // `device` has the fields of each device.
  void add_devices(const std::string& node, const std::string& driver, std::size_t count,
                   const std::string& device = "") {
    std::string list;
    for (std::size_t i = 0; i < count; ++i) {
      list += fmt::format(R"({}{{"name":"dev-{}"{}}})", i == 0 ? "" : ",", i, device);
    }
    add_slice(node, driver, fmt::format(R"("nodeName":"{}","devices":[{}])", node, list));
  }
  // `spec` has fields of spec.devices.
  void add_claim(const std::string& name, const std::string& spec, const std::string& meta = "",
                 const std::string& status = "") {
    claims[key(name)] = read_json(
        make_claim_decoder(),
        fmt::format(
            R"({{"metadata":{{"namespace":"lab","resourceVersion":"1","name":"{}","uid":"u-{}"{}}},)"
            R"("spec":{{"devices":{{{}}}}},"status":{{{}}}}})",
            name, name, meta, spec, status));
  }
  Claim& edit(const std::string& name) {
    return const_cast<Claim&>(*claims.at(key(name)));  // created by add_claim, and not const there
  }
  static allocation::DeviceResult result(const api::DeviceId& id) {
    return {.request = "r", .id = id};
  }
  static api::DeviceId device(const std::string& node, const std::string& driver, int number) {
    return {driver, node, fmt::format("dev-{}", number)};
  }
  void take(const api::DeviceId& id) { devices.take({.devices = {result(id)}}); }
  // Allocates a device of the node, as the scheduler would write it.
  void allocate(const std::string& name, const api::DeviceId& id) {
    Claim& claim = edit(name);
    claim.is_allocated = true;
    claim.devices.push_back({id, nullptr});
    claim.allocation = {.devices = {result(id)}};
    claim.allocation->node_selector = {
        {{.match_expressions = {}, .match_fields = {{"metadata.name", "In", {id.pool.str()}}}}}};
    devices.take(*claim.allocation);
  }

  ClusterView view() {
    return {.claim =
                [this](const api::NamespacedName& name) {
                  const auto found = claims.find(name);
                  return found == claims.end() ? nullptr : found->second;
                },
            .device_class =
                [this](const std::string& name) {
                  const auto found = classes.find(name);
                  return found == classes.end() ? nullptr : found->second;
                },
            .is_in_flight =
                [this](const api::NamespacedName& name) {
                  return std::ranges::find(in_flight, name) != in_flight.end();
                },
            .stale_extended_claim = [this](const Pod&) { return stale_extended_claim; },
            .devices = devices,
            .compiler = compiler,
            .misfits = misfits,
            .nodes = nodes,
            .now = now,
            .new_share_id = [this] { return fmt::format("share-{}", ++shares); },
            .is_time_up = is_time_up};
  }
};

// A pod that names these claims; `spec` has further fields.
inline Pod pod_with(const std::vector<std::string>& claims = {}, const std::string& spec = "") {
  Pod pod = *read_json(
      make_pod_decoder(),
      fmt::format(R"({{"metadata":{{"name":"p","uid":"u","resourceVersion":"1"}},"spec":{{{}}}}})",
                  spec));
  pod.meta.key = Scene::key("trainer-0");
  pod.meta.uid = api::Uid("5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11");
  for (const std::string& claim : claims) pod.claims.push_back({claim, claim, ""});
  return pod;
}

// A request with these fields of `exactly`.
inline std::string request(const std::string& name, const std::string& device_class,
                           const std::string& more = "") {
  return fmt::format(R"({{"name":"{}","exactly":{{"deviceClassName":"{}",)"
                     R"("allocationMode":"ExactCount","count":1{}}}}})",
                     name, device_class, more);
}
inline std::string requests(const std::vector<std::string>& list) {
  return fmt::format(R"("requests":[{}])", fmt::join(list, ","));
}
inline std::string wants(const std::string& device_class, int count = 1) {
  return requests({request("r", device_class, fmt::format(R"(,"count":{})", count))});
}
inline std::string wants_all(const std::string& device_class) {
  return requests({request("r", device_class, R"(,"allocationMode":"All")")});
}
inline std::string selector(const std::string& expression) {
  return fmt::format(R"(,"selectors":[{{"cel":{{"expression":"{}"}}}}])", expression);
}

}  // namespace dcm::playground
