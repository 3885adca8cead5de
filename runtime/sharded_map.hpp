// A hash table for as many entries as a cluster has objects.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

namespace dcm::runtime {

// The parts of a ShardedMap.
inline constexpr std::size_t kShards = 64;

// An unordered_map that is divided into parts. Each part grows by itself, and at a size of its own,
// so that a million entries cause pauses of a millisecond instead of a tenth of a second. Costs 4
// KB when empty. Pointers to entries stay valid until they are erased.
template <class Key, class Value, class Hash = std::hash<Key>>
class ShardedMap {
 public:
  using Entry = std::pair<const Key, Value>;

  ShardedMap() {
    for (std::size_t part = 0; part < kShards; ++part) stagger(part);
  }

  // Null if there is none.
  Value* find(const Key& key) {
    auto& part = part_of(key);
    const auto found = part.find(key);
    return found == part.end() ? nullptr : &found->second;
  }
  const Value* find(const Key& key) const { return const_cast<ShardedMap*>(this)->find(key); }
  // Makes the value with `arguments` if there is none; the bool says whether it did. The entry is
  // {key, value}, as in a std::unordered_map.
  template <class... Arguments>
  std::pair<Entry*, bool> try_emplace(const Key& key, Arguments&&... arguments) {
    const auto [at, is_new] = part_of(key).try_emplace(key, std::forward<Arguments>(arguments)...);
    size_ += is_new;
    return {&*at, is_new};
  }
  Value& operator[](const Key& key) { return try_emplace(key).first->second; }
  // Returns whether there was one.
  bool erase(const Key& key) {
    const bool is_erased = part_of(key).erase(key) > 0;
    size_ -= is_erased;
    return is_erased;
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  // Calls `visit(key, value)` for all entries, in an unspecified order. It must not add or erase.
  template <class Self, class Visit>
  void for_each(this Self& self, Visit visit) {
    for (std::size_t part = 0; part < kShards; ++part) self.for_each_of_part(part, visit);
  }
  // The same for one of the kShards parts, so that all are visited in slices.
  template <class Self, class Visit>
  void for_each_of_part(this Self& self, std::size_t part, Visit visit) {
    for (auto& [key, value] : self.parts_[part]) visit(key, value);
  }

  // Erases the entries of one part: a million take a tenth of a second together.
  void clear_part(std::size_t part) {
    size_ -= parts_[part].size();
    parts_[part] = {};
    stagger(part);
  }

 private:
  using Part = std::unordered_map<Key, Value, Hash>;

  // All parts have nearly the same size. With one limit they would grow in the same moment, so the
  // limits are spread over a doubling: 1 to 2 entries a bucket.
  void stagger(std::size_t part) {
    parts_[part].max_load_factor(std::exp2(static_cast<float>(part) / kShards));
  }
  // The parts use the lower bits of the hash.
  Part& part_of(const Key& key) {
    const std::uint64_t spread = Hash{}(key) * 0x9E37'79B9'7F4A'7C15ULL;
    return parts_[spread / (std::numeric_limits<std::uint64_t>::max() / kShards + 1)];
  }

  std::array<Part, kShards> parts_;
  std::size_t size_ = 0;
};

// The same for a set.
template <class Key>
class ShardedSet {
 public:
  // Returns whether it was missing.
  bool insert(const Key& key) { return keys_.try_emplace(key).second; }
  // Returns whether it was there.
  bool erase(const Key& key) { return keys_.erase(key); }
  bool contains(const Key& key) const { return keys_.find(key) != nullptr; }
  std::size_t size() const noexcept { return keys_.size(); }
  void clear_part(std::size_t part) { keys_.clear_part(part); }

 private:
  struct Nothing {};
  ShardedMap<Key, Nothing> keys_;
};

}  // namespace dcm::runtime
