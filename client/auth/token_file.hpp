// A bearer token in a file that another program renews.
#pragma once

#include <string>

#include "runtime/error.hpp"

namespace dcm::client {

// The token, as it is sent. Errors: configuration; they name the file, never its content.
runtime::Result<std::string> read_token_file(const std::string& file);

}  // namespace dcm::client
