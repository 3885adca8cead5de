// What would happen if claims were released or taints removed: asked of the allocator, so that the
// answer is reliable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allocation/allocator.hpp"
#include "allocation/explain.hpp"
#include "cel/kubernetes/selector.hpp"
#include "explain/devices/inventory.hpp"
#include "explain/devices/question.hpp"

namespace dcm::explain {

// A claim to release, or a taint to remove.
struct Change {
  const allocation::Claim* release = nullptr;
  std::optional<allocation::Taint> untaint = {};
  std::string rule = {};                  // the DeviceTaintRule of the taint; empty: of a driver
  std::vector<std::string> devices = {};  // devices with the taint, on the node in question

  bool is_same(const Change& other) const {
    return release == other.release && untaint == other.untaint && rule == other.rule;
  }
};

// What makes a node fit.
struct Remedy {
  enum class Need : std::uint8_t {
    any_of_them,  // each suffices alone
    all,          // none of them can be left out
  };
  std::vector<Change> changes = {};  // empty: none is known
  Need need = Need::all;
  bool has_others = false;  // other changes may do as well

  // How many changes have to be made.
  std::size_t steps() const { return need == Need::any_of_them ? 1 : changes.size(); }
};

// All changes that free matching devices of a node, and what the allocator then says of the node.
struct Freed {
  std::vector<Change> changes = {};
  allocation::NodeExplanation explanation = {};
};

class TryOut {
 public:
  // Both must outlive it. `inventory` is unchanged after each call.
  TryOut(DeviceInventory& inventory, const DeviceQuestion& question);

  // Explains the node in the current state.
  allocation::NodeExplanation explain(const allocation::Node& node);
  // Considers only changes that free matching devices.
  Remedy find_remedy(const allocation::Node& node);
  // Makes such changes until the node fits, or none is left. nullopt: not decided.
  std::optional<Freed> free_all(const allocation::Node& node);

 private:
  using Changes = std::vector<Change>;

  // Calls `use(allocator)` with these changes applied.
  template <class Use>
  auto with(std::span<const Change> changes, Use use);
  bool fits(const allocation::Node& node, std::span<const Change> changes);
  bool add_changes(const allocation::NodeExplanation& explanation, Changes& changes) const;
  // Names all devices that a taint keeps off when everything else is changed.
  void complete_devices(const allocation::Node& node, Changes& changes);
  allocation::Options options() const;

  DeviceInventory& inventory_;
  const DeviceQuestion& question_;
  cel::SelectorCompiler compiler_;
  std::vector<allocation::ClaimView> claims_;
  allocation::Allocator allocator_;
};

}  // namespace dcm::explain
