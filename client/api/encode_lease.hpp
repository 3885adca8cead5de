// A Lease as JSON: the only object that we create and update as a whole.
#pragma once

#include <string>
#include <string_view>

#include "client/api/lease.hpp"

namespace dcm::api {

// The body of a create.
std::string encode_lease(const NamespacedName& key, const LeaseSpec& spec);

// The body of an update: `stored`, the lease as the server sent it, with another spec. Unknown
// fields (labels, fields of a newer API) are kept, and so is its resourceVersion: of two concurrent
// updates, the second one conflicts. Errors: malformed, if the text is not a lease.
runtime::Result<std::string> encode_lease_update(std::string_view stored, const LeaseSpec& spec);

}  // namespace dcm::api
