// The items of the controller's queue.
#pragma once

#include <cstdint>
#include <string>

#include "controllers/device_taint_eviction/state/pending_pods.hpp"
#include "workqueue/problem_memory.hpp"
#include "workqueue/queue.hpp"

namespace dcm::device_taint_eviction {

// A pod to be evicted, or a rule whose condition may have to be written, by name and UID: what
// failed with one object holds up no other of its name. One queue for both: the rules stand between
// the pods' namespaces as one more, so that a condition is written in time also while 10,000 pods
// wait.
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

using ItemProblems = workqueue::ProblemMemory<Item, ItemHash>;

// "pod lab/trainer-0", "rule burnt-gpus"
inline std::string describe(const Item& item) {
  return (item.kind == Item::Kind::pod ? "pod " : "rule ") + item.subject.key.str();
}

}  // namespace dcm::device_taint_eviction
