// A Lease to JSON: the one object of ours that is created and updated whole.
#pragma once

#include <string>
#include <string_view>

#include "client/api/lease.hpp"

namespace dcm::api {

// The body of a create.
std::string encode_lease(const NamespacedName& key, const LeaseSpec& spec);

// The body of an update: `stored`, the lease as the server sent it, with another spec. What we do
// not know of it (labels, fields of a newer API) stays as it is, and so does its resourceVersion,
// which makes the update a conflict for whoever comes second.
// Errors: malformed, for a text that is no lease.
runtime::Result<std::string> encode_lease_update(std::string_view stored, const LeaseSpec& spec);

}  // namespace dcm::api
