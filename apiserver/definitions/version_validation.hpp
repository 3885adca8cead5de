// What a version of a definition has besides its schema: subresources, columns of tables, fields
// for selectors, and a warning.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

void validate_subresources(const JsonObject& subresources, const std::string& path, Causes& causes);
void validate_columns(const JsonArray& columns, const std::string& path, Causes& causes);
// `schema`: the schema that must have the fields.
void validate_selectable(const JsonArray& fields, const JsonObject& schema, const std::string& path,
                         Causes& causes);
void validate_deprecation(const JsonObject& version, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
