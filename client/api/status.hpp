// metav1.Status: what the API server returns instead of an object.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/error.hpp"

namespace dcm::api {

// The limit of a server's Retry-After, in the header or the body. A proxy's maintenance page may
// ask for a day, and a client that obeys would miss the server's return.
inline constexpr runtime::Duration kRetryAfterMax = std::chrono::seconds(30);

// The size limit of an Event's message: an admission policy's hint comes last in its message.
inline constexpr std::size_t kStatusMessageBytesMax = 1024;

// At most this many causes of one refusal are kept.
inline constexpr std::size_t kStatusCausesMax = 16;

// The Error for an answer with `http_status` (>= 400) and this body. Refines the server's reason by
// the details and causes that our callers distinguish (see runtime::Reason). If the body is not a
// Status (a proxy's page), its beginning becomes the message. The message is one printable line of
// at most `kStatusMessageBytesMax`; other bodies fill at most 300 bytes of it.
//
// object_not_found means that the object addressed by the path is not there, and that the API
// itself said so: the Status names an object. That may be the namespace (`namespaces "lab" not
// found`, the answer to a create): then nothing is left in it, and the addressed object is gone,
// too. A 404 that names nothing says only that the path is not served, and proves no deletion.
// An admission webhook's Status proves nothing about any object: 404, 409 and 410 are `forbidden`.
//
// `retry_after` is the one in the body (`kRetryAfterMax` at most); the caller reads the Retry-After
// header.
runtime::Error decode_status_error(std::uint16_t http_status, std::string_view body);

// Whether a body is an object of the API or a Status, in either format. Both have a kind (API
// conventions, "Types (Kinds)"); a proxy's page has none.
bool is_of_api(std::string_view body);

}  // namespace dcm::api
