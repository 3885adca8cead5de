// Causes up to a limit. Each repeats its path or all allowed values, so all together could be a
// thousand times larger than the object.
#pragma once

#include <cstddef>
#include <utility>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

class BoundedCauses {
 public:
  BoundedCauses() = default;
  // Implicit: most results have one cause or none.
  BoundedCauses(Cause cause) { add(std::move(cause)); }

  bool empty() const { return causes_.empty(); }
  // Further causes are dropped.
  bool is_full() const { return causes_.size() >= kCausesMax || bytes_ >= kBytesMax; }
  std::size_t bytes() const { return bytes_; }

  void add(Cause cause) {
    if (is_full()) return;
    bytes_ += cause.field.size() + cause.message.size();
    causes_.push_back(std::move(cause));
  }
  void add_all(Causes causes) {
    for (Cause& cause : causes) add(std::move(cause));
  }
  Causes take() && { return std::move(causes_); }

 private:
  static constexpr std::size_t kCausesMax = 1'000;
  static constexpr std::size_t kBytesMax = 1024 * 1024;

  Causes causes_;
  std::size_t bytes_ = 0;
};

}  // namespace dcm::apiserver
