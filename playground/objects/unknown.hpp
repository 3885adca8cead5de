// Collects the names of fields that the playground's scheduler does not know, for its refusals.
// Decoders list known fields; every other field with a value is unknown, so that a field of a later
// API is rejected rather than ignored.
#pragma once

#include <string>
#include <string_view>

#include "client/api/json/reader.hpp"

namespace dcm::playground {

// Whether a field is set, and not null, false, "", [] or {}. Reads the value.
bool asks_for_something(api::json::value field);

// Adds a name to a list such as "selectors, adminAccess"; each once.
void note_unknown(std::string& list, std::string_view name);

// Records the field's name if it has a value. Always true: there is nothing to misread.
bool note_if_asked(std::string& list, std::string_view name, api::json::value field);

}  // namespace dcm::playground
