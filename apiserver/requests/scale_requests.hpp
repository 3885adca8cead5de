// Requests for `/scale` of a kind that is defined: autoscaling/v1 Scale, a view of three of its
// fields.
#pragma once

#include "apiserver/model/api_error.hpp"
#include "apiserver/requests/writes.hpp"

namespace dcm::apiserver {

// 500 if the object lacks the field behind spec.replicas.
Result<Response> read_scale(Registry& registry, const Target& target);
// A PUT or PATCH of the Scale, as a write of the object.
Result<Response> write_scale(Registry& registry, const WriteRequest& request,
                             std::string_view method);

}  // namespace dcm::apiserver
