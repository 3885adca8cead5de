#include "informers/posting_table.hpp"

#include <utility>

#include "runtime/assert.hpp"

namespace dcm::informers {

void PostingTable::set(SlotId slot, std::span<const KeyHash> hashes) {
  if (stands_under(slot, hashes)) return;
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

bool PostingTable::stands_under(SlotId slot, std::span<const KeyHash> hashes) const {
  PostingId posting = first_of(slot);
  for (const KeyHash hash : hashes) {
    if (posting == kNone || at(posting).hash != hash) return false;
    posting = at(posting).next_of_slot;
  }
  return posting == kNone;
}

PostingTable::PostingId PostingTable::first_of(SlotId slot) const {
  return slot < firsts_.size() && firsts_[slot].next != kNone ? slot : kNone;
}

PostingTable::PostingId PostingTable::find_group(KeyHash hash) const {
  if (buckets_.empty()) return kNone;
  PostingId head = buckets_[bucket_of(hash)];
  while (head != kNone && at(head).hash != hash) head = at(head).next_group;
  return head;
}

// The link to the group's head: its bucket or another head. Requires that the group exists.
PostingTable::PostingId& PostingTable::link_to_group(KeyHash hash) {
  PostingId* link = &buckets_[bucket_of(hash)];
  while (true) {
    DCM_ASSERT(*link != kNone);
    if (at(*link).hash == hash) return *link;
    link = &at(*link).next_group;
  }
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
  Posting& posting = at(added);
  posting = {.hash = hash, .previous = added, .next = added};
  if (head == kNone) {
    posting.next_group = std::exchange(buckets_[bucket_of(hash)], added);
  } else {
    const PostingId tail = std::exchange(at(head).previous, added);
    at(tail).next = added;
    posting.previous = tail;
    posting.next = head;
  }
  ++size_;
}

void PostingTable::remove(PostingId removed) {
  Posting& posting = at(removed);
  PostingId& link = link_to_group(posting.hash);
  if (link == removed) {
    const bool is_last_of_group = posting.next == removed;
    if (!is_last_of_group) at(posting.next).next_group = posting.next_group;
    link = is_last_of_group ? posting.next_group : posting.next;
  }
  at(posting.previous).next = posting.next;
  at(posting.next).previous = posting.previous;
  posting.next = removed < kFurther ? kNone : std::exchange(free_, removed);
  --size_;
}

void PostingTable::split_bucket() {
  const std::size_t added = buckets_.size();
  buckets_.push_back(kNone);
  if (added == 0) return;
  PostingId* link = &buckets_[runtime::linear_split(added)];
  while (*link != kNone) {
    Posting& head = at(*link);
    if (bucket_of(head.hash) != added) {
      link = &head.next_group;
      continue;
    }
    const PostingId moved = std::exchange(*link, head.next_group);
    head.next_group = std::exchange(buckets_[added], moved);
  }
}

}  // namespace dcm::informers
