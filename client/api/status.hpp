// metav1.Status: what the API server answers when it does not answer with an object.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/error.hpp"

namespace dcm::api {

// The bound on a server's Retry-After, in the header or the body. A proxy's
// maintenance page may ask for a day, and a client that obeys it misses the return of
// the server.
inline constexpr runtime::Duration kRetryAfterMax = std::chrono::seconds(30);

// As much as the message of an Event holds: an admission policy's hint comes last in its message.
inline constexpr std::size_t kStatusMessageBytesMax = 1024;

// More causes of one refusal than these are not kept.
inline constexpr std::size_t kStatusCausesMax = 16;

// The Error that an answer with `http_status` (>= 400) and this body stands for. Refines the
// server's reason by the details and causes that our callers tell apart (see runtime::Reason);
// works for bodies that are no Status at all (a proxy's page), whose beginning becomes the message.
// The message is one printable line of at most `kStatusMessageBytesMax`; what is no Status gives
// 300 bytes of it.
//
// object_not_found means that what the path addresses is not there, and that it was the API that
// said so: the Status names an object. That may be the namespace (`namespaces "lab" not found`, the
// answer to a create): then nothing is in it any more, so for the addressed object it comes to the
// same. A 404 that names nothing says only that the path is not served, and proves no deletion.
//
// `retry_after` is the one in the body (`kRetryAfterMax` at most); the header of that name is the
// caller's to read.
runtime::Error decode_status_error(std::uint16_t http_status, std::string_view body);

}  // namespace dcm::api
