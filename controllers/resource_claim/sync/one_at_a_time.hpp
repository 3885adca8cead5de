// Serializes requests for a claim: a further item waits for the current request, instead of sending
// one that would conflict or be redundant.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "controllers/resource_claim/item.hpp"
#include "workqueue/outcome.hpp"
#include "workqueue/priority.hpp"

namespace dcm::resource_claim {

// An item that waits for another one's request.
struct WaitingItem {
  Item item;
  workqueue::Priority priority;
};

// Must outlive its turns.
class OneAtATime {
 public:
  // Requeues a waiter; after a failure with Outcome::retry(), as if its own request had failed, so
  // that waiters do not repeat the failure in immediate succession.
  using Wake = std::function<void(const WaitingItem&, workqueue::Outcome)>;
  explicit OneAtATime(Wake wake) : wake_(std::move(wake)) {}

  // The right to send the request. Ends as failed unless marked as successful.
  class Turn {
   public:
    Turn(OneAtATime& owner, api::NamespacedName claim) : owner_(&owner), claim_(std::move(claim)) {}
    Turn(Turn&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          claim_(std::move(other.claim_)),
          outcome_(other.outcome_) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (owner_ != nullptr) owner_->end(claim_, outcome_);
    }
    void succeeded() { outcome_ = workqueue::Outcome::done(); }

   private:
    OneAtATime* owner_;
    api::NamespacedName claim_;
    workqueue::Outcome outcome_ = workqueue::Outcome::retry();
  };

  // nullopt: another item has the turn, and `item` is woken at its end.
  std::optional<Turn> begin(const api::NamespacedName& claim, WaitingItem item) {
    const auto [under_way, is_first] = waiting_.try_emplace(claim);
    if (is_first) return Turn(*this, claim);
    // Events may have brought a waiting item again.
    auto& priority =
        under_way->second.try_emplace(std::move(item.item), item.priority).first->second;
    priority = workqueue::more_urgent(priority, item.priority);
    return std::nullopt;
  }

 private:
  void end(const api::NamespacedName& claim, workqueue::Outcome outcome) {
    const auto ended = waiting_.extract(claim);
    for (const auto& [item, priority] : ended.mapped()) wake_({item, priority}, outcome);
  }

  Wake wake_;
  std::map<api::NamespacedName, std::map<Item, workqueue::Priority>> waiting_;
};

}  // namespace dcm::resource_claim
