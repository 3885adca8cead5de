// A write to an object that must not wake the work on it, although a watch may deliver it before
// the answer comes.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "client/api/meta.hpp"

namespace dcm::playground {

// Holds back changes seen during a write until it is known which of them is the write's own.
class QuietWrite {
 public:
  void begin() { seen_.emplace(); }

  // Whether the change is held back.
  bool observe(const api::ResourceVersion& version) {
    if (seen_) seen_->push_back(version);
    return seen_.has_value();
  }

  // Whether another client has changed the object meanwhile. nullopt: the write has failed.
  bool end(const std::optional<api::ResourceVersion>& written) {
    const auto seen = std::exchange(seen_, std::nullopt);
    return seen && std::ranges::any_of(*seen, [&](const auto& one) { return one != written; });
  }

 private:
  std::optional<std::vector<api::ResourceVersion>> seen_;  // nullopt: no write is under way
};

}  // namespace dcm::playground
