// Like the Priority plugin of kube-apiserver: a pod's priority comes from its class.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

// The classes of every cluster.
struct SystemPriorityClass {
  std::string_view name;
  std::int64_t value;
  std::string_view description;
};
inline constexpr SystemPriorityClass kSystemPriorityClasses[] = {
    {"system-cluster-critical", 2'000'000'000,
     "Used for system critical pods that must run in the cluster, but can be moved to another node "
     "if necessary."},
    {"system-node-critical", 2'000'001'000,
     "Used for system critical pods that must not be moved from their current node."},
};

// Sets priority, class and preemption policy in the spec of a new pod. Returns why it is rejected;
// nullopt if it is not.
std::optional<std::string> admit_priority(JsonObject& spec,
                                          const std::vector<Store::Entry>& classes);

// The same for a PriorityClass: only one may be the default.
std::optional<std::string> admit_priority_class(const JsonObject& wanted,
                                                const std::vector<Store::Entry>& classes);

}  // namespace dcm::apiserver
