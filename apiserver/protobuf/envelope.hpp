// k8s.io/apimachinery's runtime.Unknown: a four-byte prefix, then the type (1) and the object
// itself (2).
#pragma once

#include <cstdint>
#include <string_view>

namespace dcm::apiserver {

inline constexpr std::string_view kProtobufMagic("k8s\0", 4);

enum class EnvelopeTag : std::uint32_t {
  type = 1,
  object = 2,
  content_encoding = 3,
  content_type = 4
};
enum class TypeTag : std::uint32_t { api_version = 1, kind = 2 };

}  // namespace dcm::apiserver
