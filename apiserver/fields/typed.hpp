// JSON as a typed object: what decoding into the Go struct of a kind, as a real server does, makes
// of a body. Fields that there are not vanish, and values of other types are a failure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apiserver/schemas/field_types.hpp"
#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

struct TypeProblem {
  std::string path;      // ".spec.containers"
  std::string expected;  // "map", "list", "string", …
  std::string message;   // as Go's decoder puts it
};

struct TypedResult {
  std::vector<std::string>
      unknown;  // "spec.containers[0].nonsense", in order; gone from the object
  std::optional<TypeProblem> problem;  // the first one
};

// Whether the keys of maps are told in the paths of unknown fields: not where a strategic merge
// patch made them.
enum class MapKeys { in_paths, left_out };

// `kind` is for messages ("Pod").
TypedResult decode_typed(JsonObject& object, const FieldType& type, std::string_view kind,
                         MapKeys keys = MapKeys::in_paths);

}  // namespace dcm::apiserver
