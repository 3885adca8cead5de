// Nodes, classes, claims and pods for the playground's pure parts, in one line each.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "cmd/dra-playground/scheduler/decide_placement.hpp"

namespace dcm::playground {

inline Slice slice(const std::string& node, const std::string& driver, std::size_t devices,
                   std::int64_t generation = 1) {
  Slice made;
  made.meta.key.name = node + "-" + driver + "-" + std::to_string(generation);
  made.driver = driver;
  made.pool = node;
  made.node = node;
  made.generation = generation;
  for (std::size_t i = 0; i < devices; ++i) made.devices.push_back({"dev-" + std::to_string(i)});
  return made;
}

inline api::DeviceId device(const std::string& node, const std::string& driver, int number) {
  return {driver, node, "dev-" + std::to_string(number)};
}

struct Scene {
  Inventory inventory;
  std::vector<SchedulableNode> nodes;
  std::map<InternedString, std::string> closed_nodes;
  std::map<api::NamespacedName, api::ObjectPtr<Claim>> claims;
  std::map<std::string, api::ObjectPtr<DeviceClass>> classes;
  std::vector<api::NamespacedName> in_flight;

  // "node-0", … with that many GPUs and NICs each.
  explicit Scene(std::size_t node_count = 2, std::size_t devices = 4) {
    for (std::size_t i = 0; i < node_count; ++i) {
      const std::string node = "node-" + std::to_string(i);
      nodes.push_back({node, node});
      for (const auto* driver : {"gpu", "nic"}) inventory.set_slice(slice(node, driver, devices));
    }
    for (const auto* driver : {"gpu", "nic"}) {
      DeviceClass device_class;
      device_class.driver = driver;
      classes[driver] = std::make_shared<const DeviceClass>(std::move(device_class));
    }
  }

  static api::NamespacedName key(const std::string& name) { return {"lab", name}; }

  Claim& edit(const std::string& name) {
    return const_cast<Claim&>(*claims.at(key(name)));  // made by add_claim, and not const there
  }
  void add_claim(const std::string& name, std::vector<DeviceRequest> requests) {
    auto claim = std::make_shared<Claim>();
    claim->meta.key = key(name);
    claim->requests = std::move(requests);
    claims[claim->meta.key] = std::move(claim);
  }
  void allocate(const std::string& name, const api::DeviceId& id) {
    edit(name).is_allocated = true;
    edit(name).devices.push_back({id, nullptr});
    inventory.take(id);
  }

  ClusterView view() const {
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
            .inventory = inventory,
            .nodes = nodes,
            .closed_nodes = closed_nodes};
  }
};

// A pod that names these claims.
inline Pod pod_with(const std::vector<std::string>& claims = {}) {
  Pod pod;
  pod.meta.key = Scene::key("trainer-0");
  pod.meta.uid = api::Uid("5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11");
  for (const std::string& claim : claims) pod.claims.push_back({claim, claim, ""});
  return pod;
}

inline DeviceRequest wants(const std::string& device_class, std::int64_t count = 1) {
  return {.name = "r", .device_class = device_class, .count = count};
}
inline DeviceRequest wants_all(const std::string& device_class) {
  return {.name = "r", .device_class = device_class, .mode = AllocationMode::all};
}

}  // namespace dcm::playground
