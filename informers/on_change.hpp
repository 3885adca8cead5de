// An observer as a function, for those to whom it is the same how an object came and went.
#pragma once

#include <functional>
#include <utility>

#include "informers/observer.hpp"

namespace dcm::informers {

// Told what was there and what is there now; null: nothing.
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
