// JSON strings to the byte as Go's encoding/json writes them.
#pragma once

#include <string>
#include <string_view>

namespace dcm::node {

// Appends `text` in quotes. `<`, `>`, `&`, U+2028 and U+2029 are escaped too; what is no UTF-8
// becomes U+FFFD.
void append_go_string(std::string& out, std::string_view text);

}  // namespace dcm::node
