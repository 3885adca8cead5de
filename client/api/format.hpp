// The formats in which objects are transferred.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dcm::api {

// Limit of array items and map entries (in protobuf: of messages) in one object. The API server
// stores no more: etcd accepts 1.5 MiB, where the smallest valid items are finalizers ("a/b") of 5
// bytes; a label has 9. Without a limit, a few bytes of an answer become hundreds in the caches.
inline constexpr std::size_t kItemsMax = 315'000;
inline constexpr const char* kTooManyItems = "more than 315000 items in an object";

enum class Format : std::uint8_t { json, protobuf };

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
// For Accept: the server chooses.
inline constexpr std::string_view kProtobufOrJson =
    "application/vnd.kubernetes.protobuf,application/json";

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
