#include "runtime/shuffled_context.hpp"

#include <utility>

namespace dcm::runtime {

ShuffledContext::~ShuffledContext() {
  // Destroying a task may make others ready.
  while (!ready_.empty()) std::exchange(ready_, {}).clear();
  shutdown();
  destroy();
}

void ShuffledContext::run_ready() {
  is_running_ = true;
  while (!ready_.empty()) {
    auto& chosen = ready_[order_.below(ready_.size())];
    // Not with itself: libstdc++ 12 loses the value in a self-move.
    if (&chosen != &ready_.back()) std::swap(chosen, ready_.back());
    std::move_only_function<void()> task = std::move(ready_.back());
    ready_.pop_back();
    task();
    ++tasks_run_;
    while (!callbacks_.empty() && callbacks_.begin()->first <= tasks_run_) {
      callbacks_.extract(callbacks_.begin()).mapped()();
    }
  }
  is_running_ = false;
}

}  // namespace dcm::runtime
