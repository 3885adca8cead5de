// The bodies of requests as objects, and what must hold of an object whatever its kind: that it is
// the kind and the object that the path says (k8s.io/apiserver pkg/endpoints/handlers).
#pragma once

#include <string_view>

#include "test/apiserver/registry.hpp"
#include "test/apiserver/request.hpp"
#include "test/apiserver/writes.hpp"

namespace dcm::apiserver {

// `what` names it in the 400.
Outcome<JsonObject> decode_object(std::string_view body, std::string_view what);

// Takes apiVersion and kind off: they may be left out; if they are there, they must be the path's.
Outcome<> take_type_meta(const Target& target, JsonObject& object);

// Namespace and name may be left out of an object; if they are there, they must be the path's.
Outcome<> check_identity(const Target& target, const JsonObject& object);

// The object of a POST or PUT.
Outcome<JsonObject> decode_body(const WriteRequest& request);

}  // namespace dcm::apiserver
