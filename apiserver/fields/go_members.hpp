// Imitates Go's encoder for an object of a kind: it always writes some members, as `null`, "" or an
// empty object, because their fields have no `omitempty`; and it omits empty strings. Clients see
// both: `eventTime: null` in an event, `requests: null` in a claim without requests. Covers only
// the kinds of this server.
#pragma once

#include <string_view>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// Makes an object of `kind`, as stored (v1), look as if it had passed through a Go struct.
void write_as_go(std::string_view kind, JsonObject& object);

}  // namespace dcm::apiserver
