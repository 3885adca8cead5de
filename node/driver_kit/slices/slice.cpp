#include "node/driver_kit/slices/slice.hpp"

#include <charconv>

#include "node/driver_kit/json.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;

const json::value& member(const json::object& object, std::string_view key) {
  static const json::value none;
  const json::value* const found = object.if_contains(key);
  return found != nullptr ? *found : none;
}

}  // namespace

std::string slice_name(const json::object& slice) {
  return text_at(member(slice, "metadata"), "/name");
}

std::string pool_of(const json::object& slice) {
  return text_at(member(slice, "spec"), "/pool/name");
}

std::int64_t generation_of(const json::object& slice) {
  return integer_at(member(slice, "spec"), "/pool/generation");
}

std::optional<std::size_t> index_of(const json::object& slice) {
  const std::string name = slice_name(slice);
  const std::size_t dash = name.find('-');
  std::size_t index = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), index, 16);
  const bool is_index = failure == std::errc() && dash == kIndexDigits && end == name.data() + dash;
  return is_index ? std::optional(index) : std::nullopt;
}

const json::array& slice_devices(const json::object& slice) {
  return array_at(member(slice, "spec"), "/devices");
}

json::object slice_content(const json::object& slice) {
  const json::value& spec = member(slice, "spec");
  if (!spec.is_object()) return {};
  json::object content = spec.get_object();
  for (const std::string_view field : {"driver", "nodeName", "pool"}) content.erase(field);
  return content;
}

}  // namespace dcm::driver_kit
