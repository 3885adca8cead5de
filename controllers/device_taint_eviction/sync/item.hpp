// The items of the controller's queue.
#pragma once

#include <cstdint>
#include <string>

#include "controllers/device_taint_eviction/state/pending_pods.hpp"
#include "workqueue/problem_memory.hpp"
#include "workqueue/queue.hpp"

namespace dcm::device_taint_eviction {

// A pod to be evicted, or a rule whose condition may need writing, by name and UID: a failure with
// one object delays no other of the same name. One queue for both: rules are treated as one more
// namespace, so that a condition is written in time even while 10,000 pods wait.
struct Item {
  enum class Kind : std::uint8_t { pod, rule };

  Kind kind = Kind::pod;
  PodRef subject;  // or the rule

  static Item pod(const PodRef& pod) { return {Kind::pod, pod}; }
  static Item rule(const api::DeviceTaintRule& rule) {
    return {Kind::rule, {rule.meta.key, rule.meta.uid}};
  }
  friend bool operator==(const Item&, const Item&) = default;
};

struct ItemHash {
  std::size_t operator()(const Item& item) const noexcept {
    return std::hash<api::NamespacedName>{}(item.subject.key) * 2 +
           static_cast<std::size_t>(item.kind);
  }
};

struct NamespaceOfItem {
  api::InternedString operator()(const Item& item) const { return item.subject.key.namespace_; }
};

using ItemQueue = workqueue::Queue<Item, NamespaceOfItem, ItemHash>;

using ItemProblems = workqueue::ProblemMemory<Item, NamespaceOfItem, ItemHash>;

// "pod lab/trainer-0", "rule burnt-gpus"
inline std::string describe(const Item& item) {
  return (item.kind == Item::Kind::pod ? "pod " : "rule ") + item.subject.key.str();
}

}  // namespace dcm::device_taint_eviction
