#include "informers/posting_table.hpp"

#include <ranges>
#include <utility>

#include "runtime/assert.hpp"

namespace dcm::informers {

void PostingTable::set(SlotId slot, std::span<const KeyHash> hashes) {
  if (stands_under(slot, hashes)) return;
  while (slot >= first_of_slot_.size()) first_of_slot_.push_back(kNone);
  while (first_of_slot_[slot] != kNone) {
    const PostingId posting = first_of_slot_[slot];
    first_of_slot_[slot] = postings_[posting].next_of_slot;
    remove(posting);
  }
  for (const KeyHash hash : hashes) insert(slot, hash);
}

std::size_t PostingTable::bytes() const noexcept {
  return postings_.size() * sizeof(Posting) +
         (buckets_.size() + first_of_slot_.size()) * sizeof(PostingId);
}

bool PostingTable::stands_under(SlotId slot, std::span<const KeyHash> hashes) const {
  PostingId at = first_of(slot);
  // insert() puts each posting before the slot's others.
  for (const KeyHash hash : std::views::reverse(hashes)) {
    if (at == kNone || postings_[at].hash != hash) return false;
    at = postings_[at].next_of_slot;
  }
  return at == kNone;
}

PostingTable::PostingId PostingTable::first_of(SlotId slot) const {
  return slot < first_of_slot_.size() ? first_of_slot_[slot] : kNone;
}

PostingTable::PostingId PostingTable::find_group(KeyHash hash) const {
  if (buckets_.empty()) return kNone;
  PostingId head = buckets_[bucket_of(hash)];
  while (head != kNone && postings_[head].hash != hash) head = postings_[head].next_group;
  return head;
}

// The link to the group's head: its bucket or another head. Requires that the group exists.
PostingTable::PostingId& PostingTable::link_to_group(KeyHash hash) {
  PostingId* link = &buckets_[bucket_of(hash)];
  while (true) {
    DCM_ASSERT(*link != kNone);
    if (postings_[*link].hash == hash) return *link;
    link = &postings_[*link].next_group;
  }
}

PostingTable::PostingId PostingTable::allocate() {
  if (free_ != kNone) {
    const PostingId posting = free_;
    free_ = postings_[posting].next;
    return posting;
  }
  DCM_ASSERT(postings_.size() < kNone);
  postings_.push_back({});
  return static_cast<PostingId>(postings_.size() - 1);
}

void PostingTable::insert(SlotId slot, KeyHash hash) {
  if (size_ >= buckets_.size()) split_bucket();
  const PostingId head = find_group(hash);
  const PostingId added = allocate();
  Posting& posting = postings_[added];
  posting = {hash, slot, added, added, first_of_slot_[slot], kNone};
  if (head == kNone) {
    posting.next_group = buckets_[bucket_of(hash)];
    buckets_[bucket_of(hash)] = added;
  } else {
    const PostingId tail = postings_[head].previous;
    posting.previous = tail;
    posting.next = head;
    postings_[tail].next = added;
    postings_[head].previous = added;
  }
  first_of_slot_[slot] = added;
  ++size_;
}

void PostingTable::remove(PostingId removed) {
  Posting& posting = postings_[removed];
  PostingId& link = link_to_group(posting.hash);
  if (link == removed) {
    const bool is_last_of_group = posting.next == removed;
    if (!is_last_of_group) postings_[posting.next].next_group = posting.next_group;
    link = is_last_of_group ? posting.next_group : posting.next;
  }
  postings_[posting.previous].next = posting.next;
  postings_[posting.next].previous = posting.previous;
  posting.next = free_;
  free_ = removed;
  --size_;
}

void PostingTable::split_bucket() {
  const std::size_t added = buckets_.size();
  buckets_.push_back(kNone);
  if (added == 0) return;
  PostingId* link = &buckets_[runtime::linear_split(added)];
  while (*link != kNone) {
    Posting& head = postings_[*link];
    if (bucket_of(head.hash) != added) {
      link = &head.next_group;
      continue;
    }
    const PostingId moved = std::exchange(*link, head.next_group);
    head.next_group = std::exchange(buckets_[added], moved);
  }
}

}  // namespace dcm::informers
