#include "apiserver/fields/encode.hpp"

#include <fmt/format.h>

#include "apiserver/fields/conversion.hpp"
#include "apiserver/protobuf/protobuf.hpp"

namespace dcm::apiserver {

namespace {

std::string as_protobuf(const std::string& api_version, std::string_view kind,
                        const JsonObject& object, TypeMeta meta) {
  return meta == TypeMeta::shown ? encode_protobuf(api_version, kind, object)
                                 : encode_protobuf_item(api_version, kind, object);
}

}  // namespace

std::string encode(const ResourceType& type, std::string_view version, const JsonObject& object,
                   Encoding encoding, TypeMeta meta) {
  JsonObject converted;
  const JsonObject* shown = &object;
  if (needs_conversion(type, version)) {
    converted = object;
    from_stored_version(type, version, converted);
    shown = &converted;
  }
  if (encoding == Encoding::protobuf) {
    return as_protobuf(type.api_version(version), type.kind, *shown, meta);
  }
  std::string text = serialize(*shown);
  if (meta == TypeMeta::omitted) return text;
  // A stored object always has metadata, so there is a member after the comma.
  text.replace(
      0, 1,
      fmt::format(R"({{"kind":"{}","apiVersion":"{}",)", type.kind, type.api_version(version)));
  return text;
}

}  // namespace dcm::apiserver
