#include "cel/kubernetes/device.hpp"

#include <algorithm>
#include <limits>

#include "cel/kubernetes/semver.hpp"

namespace dcm::cel {
namespace {

// Names that no API server accepts would not fit; such an attribute is unsupported.
constexpr std::size_t kDomainMax = std::numeric_limits<std::uint8_t>::max();
constexpr std::size_t kNameMax = std::numeric_limits<std::uint16_t>::max();

std::size_t domain_size(std::string_view name) {
  const auto slash = name.find('/');
  return slash == name.npos ? 0 : slash;
}

bool is_version(std::string_view text) {
  return Semver::parse(text).has_value();
}

}  // namespace

Attribute::Attribute(std::string_view name, Kind kind, Value value, std::size_t size)
    : name_(name.data()),
      value_(value),
      size_(static_cast<std::uint32_t>(size)),
      name_size_(static_cast<std::uint16_t>(std::min(name.size(), kNameMax))),
      domain_size_(static_cast<std::uint8_t>(std::min(domain_size(name), kDomainMax))),
      kind_(name.size() <= kNameMax && domain_size(name) <= kDomainMax ? kind : Kind::unsupported) {
}

Attribute Attribute::boolean(std::string_view name, bool value) {
  return {name, Kind::boolean, {.boolean = value}, 0};
}

Attribute Attribute::integer(std::string_view name, std::int64_t value) {
  return {name, Kind::integer, {.integer = value}, 0};
}

Attribute Attribute::string(std::string_view name, std::string_view value) {
  return {name, Kind::string, {.text = value.data()}, value.size()};
}

Attribute Attribute::version(std::string_view name, std::string_view value) {
  return {name,
          is_version(value) ? Kind::version : Kind::malformed_version,
          {.text = value.data()},
          value.size()};
}

Attribute Attribute::booleans(std::string_view name, std::span<const bool> values) {
  return {name, Kind::booleans, {.booleans = values.data()}, values.size()};
}

Attribute Attribute::integers(std::string_view name, std::span<const std::int64_t> values) {
  return {name, Kind::integers, {.integers = values.data()}, values.size()};
}

Attribute Attribute::strings(std::string_view name, std::span<const std::string_view> values) {
  return {name, Kind::strings, {.texts = values.data()}, values.size()};
}

Attribute Attribute::versions(std::string_view name, std::span<const std::string_view> values) {
  const bool all = std::ranges::all_of(values, is_version);
  return {name,
          all ? Kind::versions : Kind::malformed_versions,
          {.texts = values.data()},
          values.size()};
}

Capacity::Capacity(std::string_view name, const Quantity& value)
    : name_(name.data()),
      value_(value),
      name_size_(static_cast<std::uint16_t>(std::min(name.size(), kNameMax))),
      domain_size_(static_cast<std::uint8_t>(std::min(domain_size(name), kDomainMax))) {}

}  // namespace dcm::cel
