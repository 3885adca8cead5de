// A multimap from hashes to slots: the basis of a store's key table and its indexes.
//
// The table knows neither keys nor objects, so one compiled copy serves every kind. A slot's
// first posting costs 16 bytes, a further one 20, and each 4 for its bucket. Keys are not stored:
// callers of a look-up compare them.
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
    PostingId posting = find_group(hash);
    while (posting != kNone && at(posting).hash == hash && visit(slot_of(posting))) {
      posting = at(posting).next;
    }
  }

  // The number of postings, over all slots.
  std::size_t size() const noexcept { return size_; }
  // Memory held by the table itself.
  std::size_t bytes() const noexcept;

 private:
  // Below kFurther: the first posting of the slot of that number. From there on: a further one.
  using PostingId = std::uint32_t;
  static constexpr PostingId kFurther = PostingId{1} << 31U;
  static constexpr PostingId kNone = std::numeric_limits<PostingId>::max();

  // A bucket's postings are a list. The postings of one hash are neighbors in it: a group.
  struct Posting {
    KeyHash hash = 0;
    PostingId previous = kNone;  // of a group's head: its tail. kNone: the slot has no posting
    PostingId next = kNone;
    PostingId next_of_slot = kNone;
  };
  // Nearly every slot has one posting per table, so only further ones store their slot.
  struct Further : Posting {
    SlotId slot = 0;
  };

  Posting& at(PostingId posting) {
    return posting < kFurther ? firsts_[posting] : further_[posting - kFurther];
  }
  const Posting& at(PostingId posting) const {
    return posting < kFurther ? firsts_[posting] : further_[posting - kFurther];
  }
  SlotId slot_of(PostingId posting) const {
    return posting < kFurther ? posting : further_[posting - kFurther].slot;
  }
  bool has_exactly(SlotId slot, std::span<const KeyHash> hashes) const;
  PostingId first_of(SlotId slot) const;
  // The group's head, or kNone.
  PostingId find_group(KeyHash hash) const;
  // The link from the group of `head` to the next group's head.
  PostingId& link_after_group(PostingId head) { return at(at(head).previous).next; }
  PostingId allocate_further(SlotId slot);
  void insert(PostingId posting, KeyHash hash);
  void remove(PostingId posting);
  void split_bucket();
  std::size_t bucket_of(KeyHash hash) const {
    return runtime::linear_bucket(hash, buckets_.size());
  }

  runtime::ChunkedVector<Posting> firsts_;  // by slot
  runtime::ChunkedVector<Further> further_;
  runtime::ChunkedVector<PostingId> buckets_;
  PostingId free_ = kNone;  // of `further_`, chained by `next`
  std::size_t size_ = 0;
};

}  // namespace dcm::informers
