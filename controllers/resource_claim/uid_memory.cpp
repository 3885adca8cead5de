#include "controllers/resource_claim/uid_memory.hpp"

#include "runtime/assert.hpp"

namespace dcm::resource_claim {

UidMemory::UidMemory(std::size_t capacity)
    : capacity_(capacity), index_(0, ByUid{&uids_}, ByUid{&uids_}) {
  DCM_ASSERT(capacity > 0);
}

void UidMemory::add(const api::Uid& uid) {
  if (uid.empty() || contains(uid)) return;
  if (uids_.size() < capacity_) {
    uids_.push_back(uid);
    index_.insert(static_cast<Slot>(uids_.size() - 1));
    return;
  }
  index_.erase(static_cast<Slot>(oldest_));
  uids_[oldest_] = uid;
  index_.insert(static_cast<Slot>(oldest_));
  oldest_ = (oldest_ + 1) % capacity_;
}

void UidMemory::clear() {
  if (uids_.empty()) return;
  index_.clear();
  index_.rehash(0);  // a later clear() costs as much as there are buckets
  uids_.clear();
  oldest_ = 0;
}

}  // namespace dcm::resource_claim
