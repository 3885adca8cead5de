// Which version of a definition is stored.
#pragma once

#include <algorithm>

namespace dcm::apiserver {

// The version of a definition's `spec` in which objects are stored from now on; an empty one if
// none says so.
inline const JsonObject& stored_version(const JsonObject& spec) {
  const JsonArray& versions = array_at(spec, {"versions"});
  const auto stored = std::ranges::find_if(
      versions, [](const Json& version) { return has_true(as_object(version), "storage"); });
  static const Json kNone;
  return as_object(stored == versions.end() ? kNone : *stored);
}

}  // namespace dcm::apiserver
