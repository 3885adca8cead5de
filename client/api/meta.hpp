// The identity of API objects as strong types (metav1.ObjectMeta, apimachinery).
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/interned_string.hpp"
#include "runtime/keyed_hash.hpp"

namespace dcm::api {

using runtime::InternedString;

// A string that is usually missing, in the size of a pointer. Copies are deep.
class RareText {
 public:
  RareText() = default;  // none
  explicit RareText(std::string_view text) : text_(std::make_unique<const std::string>(text)) {}
  RareText(const RareText& other)
      : text_(other ? std::make_unique<const std::string>(*other) : nullptr) {}
  RareText(RareText&& other) noexcept = default;
  RareText& operator=(RareText other) noexcept {
    text_ = std::move(other.text_);
    return *this;
  }
  ~RareText() = default;

  explicit operator bool() const noexcept { return text_ != nullptr; }
  const std::string& operator*() const noexcept { return *text_; }

  // An absent text sorts before all others.
  friend std::strong_ordering operator<=>(const RareText& a, const RareText& b) noexcept {
    return a && b ? *a <=> *b : bool(a) <=> bool(b);
  }
  friend bool operator==(const RareText& a, const RareText& b) noexcept { return (a <=> b) == 0; }

 private:
  std::unique_ptr<const std::string> text_;
};

// An object's UID: stored in 16 bytes if it is a canonical UUID, as the API server's own are. Any
// other text (users may write anything into an owner reference) is kept as it is.
class Uid {
 public:
  Uid() = default;  // none
  explicit Uid(std::string_view text);

  std::string str() const;
  bool empty() const noexcept { return !text_ && bytes_ == Bytes{}; }
  std::size_t hash() const noexcept;

  friend bool operator==(const Uid& a, const Uid& b) noexcept;
  friend std::strong_ordering operator<=>(const Uid& a, const Uid& b) noexcept;

 private:
  using Bytes = std::array<std::uint8_t, 16>;
  Bytes bytes_{};
  RareText text_;  // set if the text is not a canonical UUID
};

// A decimal number of any length, comparable between objects of one resource (KEP-5504; older
// servers behave the same). Anything else is kept, but sorts before every number; this includes
// numbers with a leading zero, which no server writes.
class ResourceVersion {
 public:
  ResourceVersion() = default;  // none: older than all others
  explicit ResourceVersion(std::string_view text);

  std::string str() const;
  bool empty() const noexcept { return successor_ == 0 && !text_; }

  friend bool operator==(const ResourceVersion&, const ResourceVersion&) = default;
  friend std::strong_ordering operator<=>(const ResourceVersion& a,
                                          const ResourceVersion& b) noexcept;

 private:
  std::uint64_t successor_ = 0;  // the number plus one; 0: none, or stored as text
  RareText text_;
};

// Names one object of a kind; the namespace is empty for cluster-scoped kinds.
struct NamespacedName {
  InternedString namespace_;
  std::string name;

  // "namespace/name", or the name alone.
  std::string str() const;

  friend bool operator==(const NamespacedName&, const NamespacedName&) = default;
  friend auto operator<=>(const NamespacedName&, const NamespacedName&) = default;
};

// The metadata fields of every object that are read; `generation`, for example, is not.
struct ObjectMeta {
  NamespacedName key;
  Uid uid;
  ResourceVersion resource_version;
  bool is_being_deleted = false;  // deletionTimestamp is set
};

// The controller owner reference (`controller: true`) of an object, if any. The API group is stored
// without the version, which must not be compared.
struct ControllerRef {
  InternedString group;  // empty: core
  InternedString kind;
  std::string name;
  Uid uid;

  friend bool operator==(const ControllerRef&, const ControllerRef&) = default;
};

}  // namespace dcm::api

template <>
struct std::hash<dcm::api::Uid> {
  std::size_t operator()(const dcm::api::Uid& uid) const noexcept { return uid.hash(); }
};

template <>
struct std::hash<dcm::api::NamespacedName> {
  std::size_t operator()(const dcm::api::NamespacedName& key) const noexcept {
    return dcm::runtime::keyed_hash(key.name) * 31 + key.namespace_.hash();
  }
};
