// The `Warning` headers of a response (RFC 7234 5.5, code 299): `299 - "unknown field \"spec.x\""`.
#pragma once

#include <string>
#include <vector>

#include "apiserver/requests/request.hpp"

namespace dcm::apiserver {

// Each text once. If all of them are longer than 4,096 characters, each is cut to 256, and the rest
// is dropped when these are as long (k8s.io/apiserver pkg/endpoints/filters/warning.go).
void add_warning_headers(const std::vector<std::string>& texts, Response& response);

}  // namespace dcm::apiserver
