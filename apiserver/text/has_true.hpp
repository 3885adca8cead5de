// Members that are flags.
#pragma once

#include <string_view>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// Whether the member is there and true.
inline bool has_true(const JsonObject& object, std::string_view name) {
  const Json* const value = object.if_contains(name);
  return value != nullptr && *value == Json(true);
}

}  // namespace dcm::apiserver
