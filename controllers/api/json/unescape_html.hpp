// JSON text without the escapes that it does not need.
//
// Go writes "<", ">", "&" and two line separators as six characters each, for the sake of HTML: an
// object can be six times as large on the wire as it is stored, or as the API server takes it back.
#pragma once

#include <string>
#include <string_view>

namespace dcm::api::json {

// The same value. `json` must be valid; what is no JSON comes out as other text of no larger size.
std::string unescape_html(std::string_view json);

}  // namespace dcm::api::json
