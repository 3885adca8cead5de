// Parses request bodies into objects, and checks rules for any kind: that kind and object match the
// path (k8s.io/apiserver pkg/endpoints/handlers).
#pragma once

#include <string_view>

#include "apiserver/registry/registry.hpp"
#include "apiserver/requests/field_check.hpp"
#include "apiserver/requests/request.hpp"
#include "apiserver/requests/writes.hpp"

namespace dcm::apiserver {

// An object in the format of the request's Content-Type, JSON or YAML, and its warnings (duplicate
// members). `kind` is the expected one.
struct Document {
  JsonObject object;
  std::vector<std::string> problems;
};
Result<Document> decode_document(const WriteRequest& request, std::string_view kind);

// Removes apiVersion and kind: they may be omitted; if present, they must match the path.
Result<> take_type_meta(const Target& target, JsonObject& object);

// Namespace and name may be omitted; if present, they must match the path.
Result<> check_identity(const Target& target, const JsonObject& object);

// The object of a POST or PUT, without fields unknown to its kind.
Result<JsonObject> decode_body(const WriteRequest& request, FieldCheck& check);

}  // namespace dcm::apiserver
