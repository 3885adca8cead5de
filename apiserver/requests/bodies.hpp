// The bodies of requests as objects, and what must hold of an object whatever its kind: that it is
// the kind and the object that the path says (k8s.io/apiserver pkg/endpoints/handlers).
#pragma once

#include <string_view>

#include "apiserver/registry/registry.hpp"
#include "apiserver/requests/field_check.hpp"
#include "apiserver/requests/request.hpp"
#include "apiserver/requests/writes.hpp"

namespace dcm::apiserver {

// An object in the format that the request's Content-Type says, JSON or YAML, and what is doubtful
// about it (a member given twice). `kind` is what it should be.
struct Document {
  JsonObject object;
  std::vector<std::string> problems;
};
Outcome<Document> decode_document(const WriteRequest& request, std::string_view kind);

// Takes apiVersion and kind off: they may be left out; if they are there, they must be the path's.
Outcome<> take_type_meta(const Target& target, JsonObject& object);

// Namespace and name may be left out of an object; if they are there, they must be the path's.
Outcome<> check_identity(const Target& target, const JsonObject& object);

// The object of a POST or PUT, with nothing in it that its kind does not have.
Outcome<JsonObject> decode_body(const WriteRequest& request, FieldCheck& check);

}  // namespace dcm::apiserver
