// JSON as a typed object: the result of decoding a body into the Go struct of a kind, as a real
// server does. Unknown fields are dropped, and values of other types are an error.
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
  std::string message;   // in the words of Go's decoder
};

struct TypedResult {
  std::vector<std::string>
      unknown;  // "spec.containers[0].nonsense", in order; removed from the object
  std::optional<TypeProblem> problem;  // the first one
};

// Whether paths of unknown fields include map keys: not after a strategic merge patch.
enum class MapKeys { in_paths, left_out };

// `kind` is for messages ("Pod").
TypedResult decode_typed(Json& value, const FieldType& type, std::string_view kind,
                         MapKeys keys = MapKeys::in_paths);
TypedResult decode_typed(JsonObject& object, const FieldType& type, std::string_view kind,
                         MapKeys keys = MapKeys::in_paths);

}  // namespace dcm::apiserver
