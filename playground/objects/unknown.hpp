// Names the fields of an object that the playground's scheduler does not know, so that a refusal
// can name them. Decoders list the fields that they know. Every other field with a value is
// unknown: a field of a later API is refused, not overlooked.
#pragma once

#include <string>
#include <string_view>

#include "client/api/json/reader.hpp"

namespace dcm::playground {

// Whether a field is there, and is not null, false, "", [] or {}. Reads the value.
bool asks_for_something(api::json::value field);

// Adds a name to a list such as "selectors, adminAccess"; each once.
void note_unknown(std::string& list, std::string_view name);

// Notes the field's name if it asks for something. Always true: there is nothing to read wrongly.
bool note_if_asked(std::string& list, std::string_view name, api::json::value field);

}  // namespace dcm::playground
