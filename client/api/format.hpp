// The formats in which objects are transferred.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dcm::api {

enum class Format : std::uint8_t { json, protobuf };

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

constexpr std::string_view media_type(Format format) {
  return format == Format::protobuf ? kProtobuf : kJson;
}

// From a Content-Type, with any parameters: a server that does not know protobuf answers in JSON.
constexpr Format format_of(std::string_view content_type) {
  return content_type.starts_with(kProtobuf) ? Format::protobuf : Format::json;
}

// Text or bytes in one of these formats.
struct Encoded {
  std::string bytes;
  Format format = Format::json;

  friend bool operator==(const Encoded&, const Encoded&) = default;
};

}  // namespace dcm::api
