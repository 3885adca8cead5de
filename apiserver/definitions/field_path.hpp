// Paths of fields by a schema: `.spec.names['x.y'].z`, as rules and selectable fields name them
// (k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel, ValidFieldPath).
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "apiserver/definitions/structural.hpp"

namespace dcm::apiserver {

enum class ArrayNotation { accepted, refused };

struct FoundField {
  std::string path;  // as causes name it: "spec.names[x.y].z"
  const Structural* schema;
};

// The error: why there is no such field.
std::expected<FoundField, std::string> find_field(std::string_view path, const Structural& schema,
                                                  ArrayNotation notation);

}  // namespace dcm::apiserver
