// A device as a selector sees it: attributes, capacities and the names of its driver.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cel/kubernetes/quantity.hpp"

namespace dcm::cel {

// One attribute of a device, in 24 bytes. Borrows its strings and lists, which the decoder of the
// object owns.
class Attribute {
 public:
  enum class Kind : std::uint8_t {
    unsupported,  // no known field: every selector on that device fails
    boolean,
    integer,
    string,
    version,
    malformed_version,  // not a semantic version: every selector on that device fails
    booleans,
    integers,
    strings,
    versions,
    malformed_versions,
  };

  // `name` is a QualifiedName of the API: "domain/identifier", or "identifier" in the domain of the
  // driver.
  static Attribute unsupported(std::string_view name) { return {name, Kind::unsupported, {}, 0}; }
  static Attribute boolean(std::string_view name, bool value);
  static Attribute integer(std::string_view name, std::int64_t value);
  static Attribute string(std::string_view name, std::string_view value);
  static Attribute version(std::string_view name, std::string_view value);
  static Attribute booleans(std::string_view name, std::span<const bool> values);
  static Attribute integers(std::string_view name, std::span<const std::int64_t> values);
  static Attribute strings(std::string_view name, std::span<const std::string_view> values);
  static Attribute versions(std::string_view name, std::span<const std::string_view> values);

  std::string_view qualified_name() const { return {name_, name_size_}; }
  // Empty: the driver's.
  std::string_view domain() const { return {name_, domain_size_}; }
  std::string_view identifier() const {
    return qualified_name().substr(domain_size_ == 0 ? 0 : domain_size_ + 1U);
  }

  Kind kind() const { return kind_; }
  bool is_malformed() const {
    return kind_ == Kind::unsupported || kind_ == Kind::malformed_version ||
           kind_ == Kind::malformed_versions;
  }
  // Valid only for the kind that has such a value.
  bool as_boolean() const { return value_.boolean; }
  std::int64_t as_integer() const { return value_.integer; }
  std::string_view as_text() const { return {value_.text, size_}; }  // string, version
  std::span<const bool> as_booleans() const { return {value_.booleans, size_}; }
  std::span<const std::int64_t> as_integers() const { return {value_.integers, size_}; }
  std::span<const std::string_view> as_texts() const {
    return {value_.texts, size_};
  }  // strings, versions

 private:
  union Value {
    std::int64_t integer = 0;
    bool boolean;
    const char* text;
    const bool* booleans;
    const std::int64_t* integers;
    const std::string_view* texts;
  };

  Attribute(std::string_view name, Kind kind, Value value, std::size_t size);

  const char* name_;
  Value value_;
  std::uint32_t size_;
  std::uint16_t name_size_;
  std::uint8_t domain_size_;
  Kind kind_;
};

// One capacity of a device. Borrows its name.
class Capacity {
 public:
  Capacity(std::string_view name, const Quantity& value);

  std::string_view qualified_name() const { return {name_, name_size_}; }
  std::string_view domain() const { return {name_, domain_size_}; }
  std::string_view identifier() const {
    return qualified_name().substr(domain_size_ == 0 ? 0 : domain_size_ + 1U);
  }
  const Quantity& value() const { return value_; }

 private:
  const char* name_;
  Quantity value_;
  std::uint16_t name_size_;
  std::uint8_t domain_size_;
};

// What a selector sees of a device. Names are unique within each list; their order is irrelevant.
struct DeviceView {
  std::string_view driver;
  bool allow_multiple_allocations = false;
  std::span<const Attribute> attributes;
  std::span<const Capacity> capacity;
};

}  // namespace dcm::cel
