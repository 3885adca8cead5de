// Kubernetes' envelope of each object: four bytes that identify the format, and runtime.Unknown
// (k8s.io/apimachinery pkg/runtime/generated.proto) with the object's version, kind and bytes.
#pragma once

#include <string>
#include <string_view>

#include "client/api/protobuf/field.hpp"

namespace dcm::api::protobuf {

// Whether a body begins with the protobuf prefix, which no JSON does.
bool has_envelope(std::string_view body);

struct Envelope {
  std::string_view api_version;  // determines the field numbers
  std::string_view kind;
  std::string_view object;
};

// Throws like each_field(), and for a body without the prefix.
Envelope open_envelope(std::string_view body, Texts& texts);

std::string wrap(std::string_view api_version, std::string_view kind, std::string_view object);

}  // namespace dcm::api::protobuf
