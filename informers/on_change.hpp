// Adapts a callback that ignores the kind of event to an observer.
#pragma once

#include <functional>
#include <utility>

#include "informers/observer.hpp"

namespace dcm::informers {

// Receives the object before and after the change; null if there is none.
template <class T>
class OnChange final : public Observer<T> {
 public:
  using Callback = std::function<void(const ObjectPtr<T>& before, const ObjectPtr<T>& after)>;

  explicit OnChange(Callback callback) : callback_(std::move(callback)) {}

  void observe_added(const ObjectPtr<T>& object, Origin) override { callback_(nullptr, object); }
  void observe_updated(const ObjectPtr<T>& before, const ObjectPtr<T>& after, Origin) override {
    callback_(before, after);
  }
  void observe_deleted(const ObjectPtr<T>& last_known, Origin) override {
    callback_(last_known, nullptr);
  }
  void observe_left(const ObjectPtr<T>& last_known, Origin) override {
    callback_(last_known, nullptr);
  }

 private:
  Callback callback_;
};

}  // namespace dcm::informers
