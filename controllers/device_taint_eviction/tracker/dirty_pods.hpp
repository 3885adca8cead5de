// Pods that have to be judged anew, each once, however many changes concern it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>
#include <utility>

#include "controllers/device_taint_eviction/state/pending_pods.hpp"

namespace dcm::device_taint_eviction {

// First come, first judged. Loop thread only.
class DirtyPods {
 public:
  // A pod that waits already keeps its place.
  void add(const api::Pod& pod) {
    if (!waiting_.insert(pod.meta.uid).second) return;
    pods_.push_back({pod.meta.key, pod.meta.uid});
    ++added_;
  }
  // Nothing: none waits.
  std::optional<PodRef> take() {
    if (pods_.empty()) return std::nullopt;
    PodRef pod = std::move(pods_.front());
    pods_.pop_front();
    waiting_.erase(pod.uid);
    return pod;
  }
  bool empty() const noexcept { return pods_.empty(); }

  // All that were ever added, and those that were taken: once `taken` has come up to what `added`
  // was, all pods of that time are judged.
  std::uint64_t added() const noexcept { return added_; }
  std::uint64_t taken() const noexcept { return added_ - pods_.size(); }

 private:
  std::deque<PodRef> pods_;
  std::unordered_set<api::Uid> waiting_;
  std::uint64_t added_ = 0;
};

}  // namespace dcm::device_taint_eviction
