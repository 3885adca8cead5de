// The address of a server as people write it: "https://10.0.0.1:6443/clusters/a".
#pragma once

#include <string>
#include <string_view>

#include "runtime/http/stream.hpp"

namespace dcm::http {

struct ServerUrl {
  Endpoint endpoint;
  std::string path_prefix;  // encoded, no slash at its end: "" or "/clusters/a"
};

// Takes http and https, with the port that the scheme implies where none is given. User names,
// queries and fragments have no meaning here and are refused.
// Errors: configuration.
Result<ServerUrl> parse_url(std::string_view text);

}  // namespace dcm::http
