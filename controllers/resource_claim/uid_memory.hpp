// Remembers the UIDs of objects that were deleted.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "client/api/meta.hpp"

namespace dcm::resource_claim {

// A set with a fixed budget: when it is full, the oldest UID is dropped. Forgetting one is safe: it
// costs a request that the UID would have saved.
class UidMemory {
 public:
  // 67 to 86 bytes each, allocated on demand.
  static constexpr std::size_t kDefaultCapacity = 65'536;

  explicit UidMemory(std::size_t capacity = kDefaultCapacity);
  UidMemory(const UidMemory&) = delete;
  UidMemory& operator=(const UidMemory&) = delete;

  // Has no effect for a UID that is already remembered, or for an empty one.
  void add(const api::Uid& uid);
  // Forgets all. Costs nothing if there are none: called for each claim of a list.
  void clear();
  bool contains(const api::Uid& uid) const { return index_.contains(uid); }
  std::size_t size() const { return index_.size(); }

 private:
  using Slot = std::uint32_t;  // a position in uids_
  // Looks a UID up without storing it twice.
  struct ByUid {
    using is_transparent = void;
    const std::vector<api::Uid>* uids;
    const api::Uid& uid(Slot slot) const { return (*uids)[slot]; }
    const api::Uid& uid(const api::Uid& given) const { return given; }
    std::size_t operator()(const auto& key) const { return uid(key).hash(); }
    bool operator()(const auto& a, const auto& b) const { return uid(a) == uid(b); }
  };

  std::size_t capacity_;
  std::vector<api::Uid> uids_;  // a ring once it is full
  std::size_t oldest_ = 0;
  std::unordered_set<Slot, ByUid, ByUid> index_;
};

}  // namespace dcm::resource_claim
