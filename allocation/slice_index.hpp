// All slices, indexed by pool and by the node that they are for.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "allocation/slice.hpp"

namespace dcm::allocation {

struct PoolId {
  InternedString driver;
  InternedString pool;

  // "driver/pool"
  std::string str() const { return driver.str() + '/' + pool.str(); }
  friend bool operator==(const PoolId&, const PoolId&) = default;
  friend auto operator<=>(const PoolId&, const PoolId&) = default;
};

}  // namespace dcm::allocation

template <>
struct std::hash<dcm::allocation::PoolId> {
  std::size_t operator()(const dcm::allocation::PoolId& id) const noexcept {
    return id.driver.hash() * 31 + id.pool.hash();
  }
};

namespace dcm::allocation {

// Keeps the added slices alive. Loop thread only.
class SliceIndex {
 public:
  void add(SlicePtr slice);
  // Removes the slice of that name; pool and node must be those with which it was added.
  void remove(const Slice& slice);

  // Slices with that nodeName; slices without a nodeName; slices of a pool in any generation.
  std::span<const SlicePtr> of_node(const InternedString& node) const;
  std::span<const SlicePtr> shared() const { return shared_; }
  std::span<const SlicePtr> of_pool(const PoolId& pool) const;

 private:
  using Slices = std::vector<SlicePtr>;

  Slices& home_of(const Slice& slice);

  std::unordered_map<InternedString, Slices> by_node_;
  Slices shared_;
  std::unordered_map<PoolId, Slices> by_pool_;
};

}  // namespace dcm::allocation
