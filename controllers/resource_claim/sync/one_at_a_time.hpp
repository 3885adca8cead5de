// Serializes requests for a claim: a further item waits for the current request, instead of sending
// one that would conflict or be redundant.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "controllers/resource_claim/item.hpp"
#include "runtime/task.hpp"
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
  using Waiters = std::map<Item, workqueue::Priority>;

 public:
  // Requeues a waiter; after a failure with Outcome::retry(), as if its own request had failed, so
  // that waiters do not repeat the failure in immediate succession.
  using Wake = std::function<void(const WaitingItem&, workqueue::Outcome)>;
  explicit OneAtATime(Wake wake) : wake_(std::move(wake)) {}

  // The right to send the request. Give it back by end(); its destructor, for exceptions, wakes all
  // waiters at once. Ends as failed unless marked as successful.
  class Turn {
   public:
    Turn(OneAtATime& owner, api::NamespacedName claim) : owner_(&owner), claim_(std::move(claim)) {}
    Turn(Turn&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          claim_(std::move(other.claim_)),
          outcome_(other.outcome_) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (owner_ == nullptr) return;
      Waiters waiters = give_back();
      while (!waiters.empty()) owner_->wake_first(waiters, outcome_);
    }
    void succeeded() { outcome_ = workqueue::Outcome::done(); }

   private:
    friend class OneAtATime;
    Waiters give_back() { return std::move(owner_->waiting_.extract(claim_).mapped()); }

    OneAtATime* owner_;
    api::NamespacedName claim_;
    workqueue::Outcome outcome_ = workqueue::Outcome::retry();
  };

  // Another item may begin now. Wakes those that have waited, in slices: a user may have thousands
  // of pods for one claim.
  runtime::Task<> end(Turn turn) {
    Waiters waiters = turn.give_back();
    turn.owner_ = nullptr;
    for (std::size_t woken = 1; !waiters.empty(); ++woken) {
      wake_first(waiters, turn.outcome_);
      if (woken % kSlice == 0) co_await runtime::yield();
    }
  }

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
  static constexpr std::size_t kSlice = 256;

  void wake_first(Waiters& waiters, workqueue::Outcome outcome) {
    const auto first = waiters.extract(waiters.begin());
    wake_({first.key(), first.mapped()}, outcome);
  }

  Wake wake_;
  std::map<api::NamespacedName, Waiters> waiting_;
};

}  // namespace dcm::resource_claim
