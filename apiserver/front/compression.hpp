// Large answers, compressed for clients that take it, as k8s.io/apiserver does it: by gzip, from
// 128 KiB on, never a watch.
#pragma once

#include "apiserver/front/request.hpp"

namespace dcm::apiserver {

// Compresses the body, and says so in the headers, if `accept_encoding` names gzip and it is worth
// it.
void compress(Response& response, std::string_view accept_encoding);

}  // namespace dcm::apiserver
