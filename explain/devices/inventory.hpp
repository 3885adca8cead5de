// The inputs of allocation, read once for a question: nodes, slices, classes, claims of all
// namespaces, and rules.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "allocation/allocator.hpp"
#include "allocation/claim.hpp"
#include "allocation/slice_index.hpp"
#include "allocation/usage.hpp"
#include "controllers/api/device_taint_rule.hpp"

namespace dcm::explain {

template <class T>
using Shared = std::vector<api::ObjectPtr<T>>;

struct ListedDevices {
  Shared<allocation::Node> nodes = {};
  Shared<allocation::Slice> slices = {};
  Shared<allocation::DeviceClass> classes = {};
  Shared<allocation::Claim> claims = {};
  Shared<api::DeviceTaintRule> rules = {};
};

// The inputs with the allocator's indexes, and the holders of each device.
class DeviceInventory {
 public:
  using Holders = std::vector<const allocation::Claim*>;

  explicit DeviceInventory(ListedDevices listed);
  DeviceInventory(const DeviceInventory&) = delete;
  DeviceInventory& operator=(const DeviceInventory&) = delete;

  const Shared<allocation::Node>& nodes() const { return listed_.nodes; }  // by name
  // Null if there is none.
  const allocation::Claim* find_claim(const api::NamespacedName& key) const;
  // The claims that a device is allocated to, except those with admin access.
  std::span<const allocation::Claim* const> holders(const api::DeviceId& device) const;
  // The claims that hold devices of the pool which consume the counter set.
  const Holders& users_of(const allocation::PoolId& pool,
                          const allocation::InternedString& set) const;

  api::ObjectPtr<allocation::DeviceClass> find_class(const std::string& name) const;
  // The class behind an extended resource; empty if there is none.
  std::string class_serving(const std::string& resource) const;
  allocation::Cluster cluster() const { return {slices_, usage_, rules_, {}}; }
  std::size_t devices() const { return devices_; }

  // Tries what would happen if a claim were released, and undoes that.
  void release(const allocation::Claim& claim);
  void hold(const allocation::Claim& claim);

 private:
  ListedDevices listed_;
  allocation::SliceIndex slices_;
  allocation::Usage usage_;
  std::vector<allocation::TaintRule> rules_;
  std::map<std::string, api::ObjectPtr<allocation::DeviceClass>, std::less<>> classes_;
  std::map<api::NamespacedName, const allocation::Claim*> claims_;
  std::unordered_map<api::DeviceId, Holders> holders_;
  // What users_of() was asked for: all devices of a pool may lack one counter.
  mutable std::map<std::pair<allocation::PoolId, allocation::InternedString>, Holders> users_;
  std::size_t devices_ = 0;
};

}  // namespace dcm::explain
