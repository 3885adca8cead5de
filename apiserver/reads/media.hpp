// Chooses the format of an answer from the Accept header, like k8s.io/apiserver's content
// negotiation. A list of media types by preference, each with a conversion
// (`application/json;as=Table;v=v1;g=meta.k8s.io`); the first that this server supports is taken.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/model/resource_type.hpp"

namespace dcm::apiserver {

struct MediaType {
  std::string name;  // "application/json", "*/*", …
  std::map<std::string, std::string, std::less<>> parameters;

  bool is_json() const;
  bool is_yaml() const;
  bool is_protobuf() const;
  // The conversion parameters `as`, `g` and `v`. "" means no conversion.
  std::string_view parameter(std::string_view key) const;
};

std::vector<MediaType> parse_accept(std::string_view header);

// How an object or a list of them is shown.
struct Form {
  // `metadata`: only the metadata, as meta.k8s.io's PartialObjectMetadata.
  enum class Shape { object, metadata, table } shape = Shape::object;
  Encoding encoding = Encoding::json;
  bool as_yaml = false;      // the JSON is converted at the end
  std::string version = {};  // of meta.k8s.io, unless it is a plain object
};

// Whether the kind is available in protobuf; metadata is for all kinds.
enum class Protobuf { of_objects, of_metadata };

// nullopt if none of the accepted types is available. An empty header accepts anything.
std::optional<Form> choose_form(std::string_view accept, Protobuf protobuf = Protobuf::of_objects);

}  // namespace dcm::apiserver
