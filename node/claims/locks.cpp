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

std::optional<api::NamespacedName> ClaimLocks::find_taken(
    const std::set<api::NamespacedName>& keys) const {
  const auto found = std::ranges::find_if(
      keys, [&](const api::NamespacedName& key) { return taken_.contains(key); });
  return found == keys.end() ? std::nullopt : std::optional(*found);
}

runtime::Task<ClaimLocks::Hold> ClaimLocks::take(std::set<api::NamespacedName> keys) {
  auto hold = co_await take_until({}, std::move(keys));
  co_return *std::move(hold);
}

runtime::Task<std::expected<ClaimLocks::Hold, api::NamespacedName>> ClaimLocks::take_until(
    runtime::Deadline deadline, std::set<api::NamespacedName> keys) {
  while (auto taken = find_taken(keys)) {
    const auto woken = co_await freed_.wait(deadline);
    if (woken == runtime::Condition::Wakeup::timed_out)
      co_return std::unexpected(*std::move(taken));
  }
  co_return Hold(*this, std::move(keys));
}

}  // namespace dcm::node
