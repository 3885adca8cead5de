// The body of each write of the playground, as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/dra-playground/objects/objects.hpp"
#include "runtime/time.hpp"

namespace dcm::playground {

// Server-side apply.
std::string encode_namespace(std::string_view name);
std::string encode_node(std::string_view name);
// On /status: ready, with room for many pods.
struct NodeStatus {
  std::string address;
  std::vector<std::string> declared_features = {};  // KEP-5328; sorted
  std::optional<runtime::WallTime> since = {};      // when it became ready; nothing: now
};
std::string encode_node_status(std::string_view name, runtime::WallTime now,
                               const NodeStatus& status);
// A Lease that says for 40 s that the node lives (KEP-589). It is deleted with the node.
std::string encode_node_lease(std::string_view name, const api::Uid& node, runtime::WallTime now);
// JSON merge on a node as it came, with its version: takes off the taint that a node has until it
// is ready. Nothing: it has none.
std::optional<std::string> encode_without_not_ready(std::string_view node);
// All devices of one driver; class and driver have the same name.
std::string encode_device_class(std::string_view driver);
// A pool of that node: the only slice of the driver there, with devices "dev-0", "dev-1", …. The
// generation and the taints in `published` stay: a restarted driver knows which devices are broken.
// Empty: there is no such slice yet.
std::string encode_slice(std::string_view driver, std::string_view node, std::size_t devices,
                         std::string_view published = {});
std::string slice_name(std::string_view driver, std::string_view node);

// A device given to a request.
struct Grant {
  std::string request;
  api::DeviceId device;
  std::vector<std::string> tolerations = {};  // of the request, as JSON
  friend bool operator==(const Grant&, const Grant&) = default;
};

// Configuration that an allocation hands to drivers (DeviceAllocationConfiguration).
struct GrantedConfig {
  enum class Source : std::uint8_t { device_class, claim };
  Source source;
  std::vector<std::string> requests;  // none: all
  std::string text;                   // as the JSON object that it came as
  friend bool operator==(const GrantedConfig&, const GrantedConfig&) = default;
};

// Strategic merge on a claim, with the version that was read.
std::string encode_add_protection(const Claim& claim);
// On /status: allocation, of devices on `node`, and first reservation in one.
std::string encode_allocation(const Claim& claim, std::string_view node,
                              std::span<const Grant> grants, std::span<const GrantedConfig> config,
                              const Pod& pod);
// On /status. Without the version: others reserve at the same time.
std::string encode_reservation(const Claim& claim, const Pod& pod);

// POST on /binding.
std::string encode_binding(const Pod& pod, std::string_view node);
// Strategic merge on a pod's /status.
std::string encode_unschedulable(const Pod& pod, std::string_view why, runtime::WallTime now);

// DeleteOptions: at once, or in the way of the kind. The UID is a precondition; empty: any object
// of that name.
std::string encode_delete_now(const api::Uid& uid);
std::string encode_delete(const api::Uid& uid);

}  // namespace dcm::playground
