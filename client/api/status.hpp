// metav1.Status: what the API server answers when it does not answer with an object.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/error.hpp"

namespace dcm::api {

// The Error that an answer with `http_status` (>= 400) and this body stands for. Refines the
// server's reason by the details and causes that our callers tell apart (see runtime::Reason);
// works for bodies that are no Status at all (a proxy's page), whose beginning becomes the message.
runtime::Error decode_status_error(std::uint16_t http_status, std::string_view body);

}  // namespace dcm::api
