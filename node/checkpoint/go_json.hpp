// JSON strings, byte for byte as written by Go's encoding/json.
#pragma once

#include <string>
#include <string_view>

namespace dcm::node {

// Appends `text` in quotes. `<`, `>`, `&`, U+2028 and U+2029 are escaped too; invalid UTF-8 becomes
// U+FFFD.
void append_go_string(std::string& out, std::string_view text);

}  // namespace dcm::node
