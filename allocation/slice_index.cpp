#include "allocation/slice_index.hpp"

namespace dcm::allocation {
namespace {

template <class Map>
std::span<const SlicePtr> find(const Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::span<const SlicePtr>() : found->second;
}

}  // namespace

SliceIndex::Slices& SliceIndex::home_of(const Slice& slice) {
  const auto& node = slice.nodes.node_name;
  return node && !node->empty() ? by_node_[*node] : shared_;
}

void SliceIndex::add(SlicePtr slice) {
  home_of(*slice).push_back(slice);
  by_pool_[{slice->driver, slice->pool}].push_back(std::move(slice));
}

void SliceIndex::remove(const Slice& slice) {
  const auto is_it = [name = slice.meta.key.name](const SlicePtr& each) {
    return each->meta.key.name == name;
  };
  const auto remove_from = [&](auto& map, const auto& key) {
    const auto found = map.find(key);
    if (found == map.end()) return;
    std::erase_if(found->second, is_it);
    if (found->second.empty()) map.erase(found);
  };
  const InternedString node = slice.nodes.node_name.value_or(InternedString());
  if (node.empty()) {
    std::erase_if(shared_, is_it);
  } else {
    remove_from(by_node_, node);
  }
  remove_from(by_pool_, PoolId{slice.driver, slice.pool});
}

std::span<const SlicePtr> SliceIndex::of_node(const InternedString& node) const {
  return find(by_node_, node);
}

std::span<const SlicePtr> SliceIndex::of_pool(const PoolId& pool) const {
  return find(by_pool_, pool);
}

}  // namespace dcm::allocation
