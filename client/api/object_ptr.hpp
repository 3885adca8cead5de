// Read-only objects that caches and their readers share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace dcm::api {

// Like std::shared_ptr<const T>, but smaller: the pointer has 8 bytes, and its count lies in the
// padding at the object's end, where there is room. Loop thread only: the count is a plain integer.
template <class T>
class ObjectPtr {
  struct Held {
    [[no_unique_address]] T object;  // its padding may hold the count
    std::uint32_t users = 1;
  };

 public:
  // The size of an object with its count, without what it allocates.
  static constexpr std::size_t size_of_object() { return sizeof(Held); }

  ObjectPtr() = default;  // null
  ObjectPtr(std::nullptr_t) {}
  explicit ObjectPtr(T object) : held_(new Held{std::move(object)}) {}
  ObjectPtr(const ObjectPtr& other) noexcept : held_(other.held_) {
    if (held_) ++held_->users;
  }
  ObjectPtr(ObjectPtr&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  ObjectPtr& operator=(ObjectPtr other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~ObjectPtr() {
    if (held_ && --held_->users == 0) delete held_;
  }

  const T* get() const noexcept { return held_ ? &held_->object : nullptr; }
  const T& operator*() const noexcept { return held_->object; }
  const T* operator->() const noexcept { return &held_->object; }
  explicit operator bool() const noexcept { return held_ != nullptr; }
  // Whether both are the same object.
  friend bool operator==(const ObjectPtr&, const ObjectPtr&) = default;

 private:
  Held* held_ = nullptr;
};

}  // namespace dcm::api
