// What would be if claims were released or taints removed: asked of the allocator, so that nothing
// is promised that it would not do.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allocation/allocator.hpp"
#include "allocation/explain.hpp"
#include "cel/kubernetes/selector.hpp"
#include "explain/devices/inventory.hpp"
#include "explain/devices/question.hpp"

namespace dcm::manager {

// One of the two.
struct Change {
  const allocation::Claim* release = nullptr;
  std::optional<allocation::Taint> untaint = {};
  std::vector<std::string> devices = {};  // that have the taint, on the node that it is about

  bool is_same(const Change& other) const {
    return release == other.release && untaint == other.untaint;
  }
};

// What makes a node fit.
struct Remedy {
  std::vector<Change> any_of = {};  // each is enough by itself
  std::vector<Change> all_of = {};  // together, and none of them can be left out

  bool is_empty() const { return any_of.empty() && all_of.empty(); }
  std::size_t changes() const { return any_of.empty() ? all_of.size() : 1; }
};

class TryOut {
 public:
  // Both must outlive it. `inventory` is as before after each call.
  TryOut(DeviceInventory& inventory, const DeviceQuestion& question);

  // As things are.
  allocation::NodeExplanation explain(const allocation::Node& node);
  // Looks only at changes that free devices which match.
  Remedy find_remedy(const allocation::Node& node);

 private:
  using Changes = std::vector<Change>;

  // Calls `use(allocator)` in the world with these changes.
  template <class Use>
  auto with(std::span<const Change> changes, Use use);
  bool fits(const allocation::Node& node, std::span<const Change> changes);
  // All that may help, until the node fits; nullopt: it does not.
  std::optional<Changes> collect(const allocation::Node& node);
  bool add_changes(const allocation::NodeExplanation& explanation, Changes& changes) const;
  allocation::Options options() const;

  DeviceInventory& inventory_;
  const DeviceQuestion& question_;
  cel::SelectorCompiler compiler_;
  std::vector<allocation::ClaimView> claims_;
  allocation::Allocator allocator_;
};

}  // namespace dcm::manager
