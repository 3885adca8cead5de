// The fields and types of API objects: the published OpenAPI schemas as a graph.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace dcm::apiserver {

struct FieldType {
  enum class Kind {
    any,  // anything: a kind without a schema, or free-form JSON
    object,
    map,   // with any keys, of `element`
    list,  // of `element`
    text,
    bytes,  // base64
    time,
    micro_time,
    integer,
    number,
    boolean,
    quantity,
    int_or_string,
  };

  Kind kind = Kind::any;
  std::string name;  // as shown in messages: "v1.PodSpec", "string", "int32"
  const FieldType* element = nullptr;
  std::map<std::string, const FieldType*, std::less<>> fields = {};  // of an object
};

// The type of a kind in a group version ("v1", "resource.k8s.io/v1"); any if it has no schema.
// Lives as long as the process.
const FieldType& field_type(std::string_view api_version, std::string_view kind);

}  // namespace dcm::apiserver
