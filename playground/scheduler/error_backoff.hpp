// When a pod is retried after an attempt that ended in an error, as in kube-scheduler's queue.
#pragma once

#include <chrono>
#include <unordered_map>

#include "client/api/meta.hpp"
#include "runtime/backoff.hpp"

namespace dcm::playground {

class ErrorBackoff {
 public:
  // After another error: twice as long as the last time, within kube-scheduler's bounds.
  runtime::Duration next(const api::NamespacedName& pod) {
    constexpr runtime::Backoff kBounds{std::chrono::seconds(1), std::chrono::seconds(10)};
    runtime::Duration& last = last_[pod];
    return last = kBounds.after(last);
  }
  // The attempt ended differently, or the pod is gone.
  void forget(const api::NamespacedName& pod) { last_.erase(pod); }

 private:
  std::unordered_map<api::NamespacedName, runtime::Duration> last_;
};

}  // namespace dcm::playground
