#include "apiserver/text/encode.hpp"

#include <fmt/format.h>

#include "apiserver/fields/conversion.hpp"

namespace dcm::apiserver {

std::string encode(const ResourceType& type, std::string_view version, const JsonObject& object,
                   TypeMeta meta) {
  std::string text;
  if (needs_conversion(type, version)) {
    JsonObject converted = object;
    from_stored_version(type, version, converted);
    text = serialize(converted);
  } else {
    text = serialize(object);
  }
  if (meta == TypeMeta::omitted) return text;
  // A stored object always has metadata, so there is a member after the comma.
  text.replace(
      0, 1,
      fmt::format(R"({{"kind":"{}","apiVersion":"{}",)", type.kind, type.api_version(version)));
  return text;
}

}  // namespace dcm::apiserver
