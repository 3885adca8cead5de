// Stored objects as JSON or protobuf, in the requested version.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/model/resource_type.hpp"
#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

std::string encode(const ResourceType& type, std::string_view version, const JsonObject& object,
                   Encoding encoding, TypeMeta meta = TypeMeta::shown);

}  // namespace dcm::apiserver
