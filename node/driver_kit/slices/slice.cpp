#include "node/driver_kit/slices/slice.hpp"

#include <charconv>

#include "node/driver_kit/json.hpp"

namespace dcm::driver_kit {

namespace json = boost::json;

std::string slice_name(const json::object& slice) {
  return text_at(slice, "/metadata/name");
}

std::string pool_of(const json::object& slice) {
  return text_at(slice, "/spec/pool/name");
}

std::int64_t generation_of(const json::object& slice) {
  return integer_at(slice, "/spec/pool/generation");
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
  return array_at(slice, "/spec/devices");
}

json::object slice_content(const json::object& slice) {
  const json::value* const spec = find_at(slice, "/spec");
  if (spec == nullptr || !spec->is_object()) return {};
  json::object content = spec->get_object();
  for (const std::string_view field : {"driver", "nodeName", "pool"}) content.erase(field);
  return content;
}

}  // namespace dcm::driver_kit
