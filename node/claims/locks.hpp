// One operation at a time for each claim. An operation locks all its claims at once, which prevents
// deadlocks.
#pragma once

#include <expected>
#include <optional>
#include <set>

#include "node/claims/book.hpp"
#include "runtime/condition.hpp"

namespace dcm::node {

// Loop thread only.
class ClaimLocks {
 public:
  // Released on destruction. The locks must outlive it.
  class Hold {
   public:
    Hold(ClaimLocks& locks, std::set<api::NamespacedName> keys);
    Hold(Hold&& other) noexcept;
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    Hold& operator=(Hold&&) = delete;

   private:
    ClaimLocks* locks_;  // null: moved from
    std::set<api::NamespacedName> keys_;
  };

  explicit ClaimLocks(runtime::TimeSource& time) : freed_(time) {}

  runtime::Task<Hold> take(std::set<api::NamespacedName> keys);
  // Errors: a claim that is still locked at the deadline.
  runtime::Task<std::expected<Hold, api::NamespacedName>> take_until(
      runtime::Deadline deadline, std::set<api::NamespacedName> keys);

 private:
  std::optional<api::NamespacedName> find_taken(const std::set<api::NamespacedName>& keys) const;

  std::set<api::NamespacedName> taken_;
  runtime::Condition freed_;
};

}  // namespace dcm::node
