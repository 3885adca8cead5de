#include "informers/posting_table.hpp"

#include <utility>

#include "runtime/assert.hpp"

namespace dcm::informers {

void PostingTable::set(SlotId slot, std::span<const KeyHash> hashes) {
  if (has_exactly(slot, hashes)) return;
  DCM_ASSERT(slot < kFurther);
  while (slot >= firsts_.size()) firsts_.push_back({});
  for (PostingId posting = first_of(slot); posting != kNone;) {
    remove(std::exchange(posting, at(posting).next_of_slot));
  }
  PostingId last = kNone;
  for (const KeyHash hash : hashes) {
    const PostingId added = last == kNone ? slot : allocate_further(slot);
    insert(added, hash);
    if (last != kNone) at(last).next_of_slot = added;
    last = added;
  }
}

std::size_t PostingTable::bytes() const noexcept {
  return firsts_.size() * sizeof(Posting) + further_.size() * sizeof(Further) +
         buckets_.size() * sizeof(PostingId);
}

bool PostingTable::has_exactly(SlotId slot, std::span<const KeyHash> hashes) const {
  PostingId posting = first_of(slot);
  for (const KeyHash hash : hashes) {
    if (posting == kNone || at(posting).hash != hash) return false;
    posting = at(posting).next_of_slot;
  }
  return posting == kNone;
}

PostingTable::PostingId PostingTable::first_of(SlotId slot) const {
  return slot < firsts_.size() && firsts_[slot].previous != kNone ? slot : kNone;
}

PostingTable::PostingId PostingTable::find_group(KeyHash hash) const {
  if (buckets_.empty()) return kNone;
  PostingId head = buckets_[bucket_of(hash)];
  while (head != kNone && at(head).hash != hash) head = at(at(head).previous).next;
  return head;
}

PostingTable::PostingId PostingTable::allocate_further(SlotId slot) {
  if (free_ == kNone) {
    DCM_ASSERT(further_.size() < kNone - kFurther);
    free_ = kFurther + static_cast<PostingId>(further_.size());
    further_.push_back({});
  }
  const PostingId posting = std::exchange(free_, at(free_).next);
  further_[posting - kFurther].slot = slot;
  return posting;
}

void PostingTable::insert(PostingId added, KeyHash hash) {
  if (size_ >= buckets_.size()) split_bucket();
  const PostingId head = find_group(hash);
  if (head == kNone) {
    PostingId& first = buckets_[bucket_of(hash)];
    at(added) = {.hash = hash, .previous = added, .next = first};
    first = added;
  } else {
    const PostingId tail = std::exchange(at(head).previous, added);
    at(added) = {.hash = hash, .previous = tail, .next = at(tail).next};
    at(tail).next = added;
  }
  ++size_;
}

void PostingTable::remove(PostingId removed) {
  Posting& posting = at(removed);
  PostingId* link = &buckets_[bucket_of(posting.hash)];
  while (*link != kNone && at(*link).hash != posting.hash) link = &link_after_group(*link);
  const PostingId head = *link;
  DCM_ASSERT(head != kNone);
  const PostingId tail = at(head).previous;
  if (removed != tail) {
    at(posting.next).previous = posting.previous;
  } else if (removed != head) {
    at(head).previous = posting.previous;
  }
  (removed == head ? *link : at(posting.previous).next) = posting.next;
  posting.previous = kNone;
  if (removed >= kFurther) posting.next = std::exchange(free_, removed);
  --size_;
}

void PostingTable::split_bucket() {
  const std::size_t added = buckets_.size();
  buckets_.push_back(kNone);
  if (added == 0) return;
  PostingId* link = &buckets_[runtime::linear_split(added)];
  while (*link != kNone) {
    const PostingId head = *link;
    PostingId& after = link_after_group(head);
    if (bucket_of(at(head).hash) != added) {
      link = &after;
      continue;
    }
    *link = after;
    after = std::exchange(buckets_[added], head);
  }
}

}  // namespace dcm::informers
