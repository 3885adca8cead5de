// The items of the controller's queue.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "client/api/meta.hpp"
#include "workqueue/problem_memory.hpp"
#include "workqueue/queue.hpp"

namespace dcm::resource_claim {

// All kinds share one queue, so that no two workers ever handle the same object.
struct Item {
  // The first three, which alone can fail, are indexes of metrics. The others stand for pods and
  // groups with something in common, and for the claims of pods and groups that have ended, when
  // they are many.
  enum class Kind : std::uint8_t {
    pod,
    claim,
    group,
    claim_users,
    template_users,
    group_members,
    claims_of_ended
  };

  Kind kind = Kind::pod;
  api::NamespacedName key;

  friend bool operator==(const Item&, const Item&) = default;
  friend auto operator<=>(const Item&, const Item&) = default;
};

struct ItemHash {
  std::size_t operator()(const Item& item) const noexcept {
    return std::hash<api::NamespacedName>{}(item.key) * 8 + static_cast<std::size_t>(item.kind);
  }
};

struct NamespaceOfItem {
  api::InternedString operator()(const Item& item) const { return item.key.namespace_; }
};

using ItemQueue = workqueue::Queue<Item, NamespaceOfItem, ItemHash>;

using ItemProblems = workqueue::ProblemMemory<Item, NamespaceOfItem, ItemHash>;

// "pod lab/trainer-0"
inline std::string describe(const Item& item) {
  constexpr std::array kWords = {"pod ",
                                 "claim ",
                                 "pod group ",
                                 "users of claim ",
                                 "users of template ",
                                 "members of pod group ",
                                 "claims of ended pod or group "};
  return kWords[static_cast<std::size_t>(item.kind)] + item.key.str();
}

}  // namespace dcm::resource_claim
