// A multimap from hashes to slots: the basis of a store's key table and its indexes.
//
// The table knows neither keys nor objects, so one compiled copy serves every kind. A posting costs
// 24 bytes, and 4 for its bucket. Keys are not stored: callers of a look-up compare them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "runtime/chunked_vector.hpp"
#include "runtime/linear_hashing.hpp"

namespace dcm::informers {

using SlotId = std::uint32_t;
using KeyHash = std::uint32_t;

// Spreads a std::hash value over the 32 bits that are stored.
constexpr KeyHash fold_hash(std::size_t hash) {
  return static_cast<KeyHash>((hash * 0x9E37'79B9'7F4A'7C15ULL) >> 32U);
}

// Every change is O(1) in the number of slots, however many share a hash, and none copies the table
// to let it grow: a million objects come without a pause. Slots under a hash are in insertion
// order, independent of addresses.
class PostingTable {
 public:
  // From now on `slot` has exactly these hashes, each given once. It keeps its places under
  // unchanged hashes.
  void set(SlotId slot, std::span<const KeyHash> hashes);
  void clear(SlotId slot) { set(slot, {}); }

  // Calls `visit(slot)` in order until it returns false. It must not change the table.
  template <class Visit>
  void for_each(KeyHash hash, Visit visit) const {
    const PostingId head = find_group(hash);
    if (head == kNone) return;
    PostingId at = head;
    do {
      if (!visit(postings_[at].slot)) return;
      at = postings_[at].next;
    } while (at != head);
  }

  // The number of postings, over all slots.
  std::size_t size() const noexcept { return size_; }
  // Memory held by the table itself.
  std::size_t bytes() const noexcept;

 private:
  using PostingId = std::uint32_t;
  static constexpr PostingId kNone = std::numeric_limits<PostingId>::max();

  // Postings of one hash form a ring, a group; the groups of a bucket are chained through their
  // heads.
  struct Posting {
    KeyHash hash;
    SlotId slot;
    PostingId previous;
    PostingId next;
    PostingId next_of_slot;
    PostingId next_group;  // only in a head
  };

  bool stands_under(SlotId slot, std::span<const KeyHash> hashes) const;
  PostingId first_of(SlotId slot) const;
  PostingId find_group(KeyHash hash) const;
  PostingId& link_to_group(KeyHash hash);
  PostingId allocate();
  void insert(SlotId slot, KeyHash hash);
  void remove(PostingId posting);
  void split_bucket();
  std::size_t bucket_of(KeyHash hash) const {
    return runtime::linear_bucket(hash, buckets_.size());
  }

  runtime::ChunkedVector<Posting> postings_;
  runtime::ChunkedVector<PostingId> buckets_;
  runtime::ChunkedVector<PostingId> first_of_slot_;  // by slot
  PostingId free_ = kNone;                           // chained by `next`
  std::size_t size_ = 0;
};

}  // namespace dcm::informers
