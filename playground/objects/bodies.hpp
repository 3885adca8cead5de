// The bodies of the playground's writes, as JSON; the scheduler's are in scheduler/bodies.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "playground/objects/objects.hpp"
#include "runtime/time.hpp"

namespace dcm::playground {

// Server-side apply.
std::string encode_namespace(std::string_view name);
std::string encode_node(std::string_view name);
// On /status: ready, with room for many pods.
struct NodeStatus {
  std::string address;
  std::vector<std::string> declared_features = {};  // KEP-5328; sorted
  std::optional<runtime::WallTime> since = {};      // when it became ready; nullopt: now
};
std::string encode_node_status(std::string_view name, runtime::WallTime now,
                               const NodeStatus& status);
// A Lease that shows for 40 s that the node is alive (KEP-589). It is deleted with the node.
std::string encode_node_lease(std::string_view name, const api::Uid& node, runtime::WallTime now);
// JSON merge on a node as received, with its version: removes the taint that a node has until it is
// ready. nullopt: it has none.
std::optional<std::string> encode_without_not_ready(std::string_view node);
// All devices of one driver; class and driver have the same name.
std::string encode_device_class(std::string_view driver);
// A node's pool: the driver's only slice there, with devices "dev-0", "dev-1", …. The generation
// and the taints in `published` are kept: a restarted driver knows which devices are broken. Empty:
// there is no such slice yet.
std::string encode_slice(std::string_view driver, std::string_view node, std::size_t devices,
                         std::string_view published = {});
std::string slice_name(std::string_view driver, std::string_view node);

// The content of a pod's condition, apart from its time.
struct ConditionContent {
  bool is_true;
  std::string reason = {};
  std::string message = {};
};
// An entry for a strategic merge patch. The condition keeps its time while its status stays.
boost::json::object encode_condition(const Pod& pod, std::string_view type,
                                     const ConditionContent& content, runtime::WallTime now);

// DeleteOptions: at once, if the object still has that UID.
std::string encode_delete_now(const api::Uid& uid);

}  // namespace dcm::playground
