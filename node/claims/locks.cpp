#include "node/claims/locks.hpp"

#include <algorithm>
#include <utility>

namespace dcm::node {

ClaimLocks::Hold::Hold(ClaimLocks& locks, std::set<api::NamespacedName> keys)
    : locks_(&locks), keys_(std::move(keys)) {
  locks_->taken_.insert(keys_.begin(), keys_.end());
}

ClaimLocks::Hold::Hold(Hold&& other) noexcept
    : locks_(std::exchange(other.locks_, nullptr)), keys_(std::move(other.keys_)) {}

ClaimLocks::Hold::~Hold() {
  if (locks_ == nullptr) return;
  for (const api::NamespacedName& key : keys_) locks_->taken_.erase(key);
  locks_->freed_.notify_all();
}

bool ClaimLocks::is_any_taken(const std::set<api::NamespacedName>& keys) const {
  return std::ranges::any_of(keys,
                             [&](const api::NamespacedName& key) { return taken_.contains(key); });
}

runtime::Task<ClaimLocks::Hold> ClaimLocks::take(std::set<api::NamespacedName> keys) {
  while (is_any_taken(keys)) co_await freed_.wait();
  co_return Hold(*this, std::move(keys));
}

}  // namespace dcm::node
