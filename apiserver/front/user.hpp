// The user of a request. Nobody is authenticated: everybody is the administrator, who may
// impersonate others by the headers of `kubectl --as` (k8s.io/apiserver
// endpoints/filters/impersonation).
#pragma once

#include "apiserver/model/attributes.hpp"
#include "apiserver/requests/request.hpp"

namespace dcm::apiserver {

// 400 for a group, UID or extra without a user.
Result<User> user_of(const Request& request);

}  // namespace dcm::apiserver
