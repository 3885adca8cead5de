// The identity of API objects as strong types (metav1.ObjectMeta, apimachinery).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/interned_string.hpp"

namespace dcm::api {

using runtime::InternedString;
using runtime::NumberOrText;

// An object's UID: stored in 16 bytes if it is a canonical UUID (RFC 9562), as the API server's own
// are. Any other text (users may write anything into an owner reference) is kept as it is.
class Uid {
 public:
  Uid() = default;  // none
  explicit Uid(std::string_view text);

  std::string str() const;
  bool empty() const noexcept { return second_.empty(); }
  std::size_t hash() const noexcept;

  friend bool operator==(const Uid&, const Uid&) = default;
  friend std::strong_ordering operator<=>(const Uid&, const Uid&) = default;

 private:
  // A UUID's halves, the second one without its highest bit, which the variant of RFC 9562 sets; or
  // zero and the text.
  std::uint64_t first_ = 0;
  NumberOrText second_;
};

// A decimal number of any length, comparable between objects of one resource (KEP-5504; older
// servers behave the same). Anything else is kept, but sorts before every number; this includes
// numbers with a leading zero, which no server writes.
class ResourceVersion {
 public:
  ResourceVersion() = default;  // none: older than all others
  explicit ResourceVersion(std::string_view text);

  std::string str() const;
  bool empty() const noexcept { return value_.empty(); }

  friend bool operator==(const ResourceVersion&, const ResourceVersion&) = default;
  friend std::strong_ordering operator<=>(const ResourceVersion& a,
                                          const ResourceVersion& b) noexcept;

 private:
  NumberOrText value_;
};

// Names one object of a kind; the namespace is empty for cluster-scoped kinds.
struct NamespacedName {
  InternedString namespace_;
  InternedString name;

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

  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

// The controller owner reference (`controller: true`) of an object, if any. The API group is stored
// without the version, which must not be compared.
struct ControllerRef {
  InternedString group;  // empty: core
  InternedString kind;
  InternedString name;
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
    return key.name.hash() * 31 + key.namespace_.hash();
  }
};
