// The messages of Kubernetes' protobuf encoding, and the JSON names of their fields: the table that
// tables.py creates from the published Go modules.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace dcm::apiserver {

struct ProtoMessage;

struct ProtoField {
  enum class Count { one, list, map };  // a map's keys are text
  enum class Type {
    text,
    bytes,  // base64 in JSON
    integer,
    number,  // of double precision
    boolean,
    raw,      // JSON within the message
    strings,  // a list of strings in its own message
    quantity,
    int_or_string,
    time,
    micro_time,
    message,
  };

  std::uint32_t number = 0;
  std::string_view name = {};
  Count count = Count::one;
  Type type = Type::text;
  const ProtoMessage* message = nullptr;  // of Type::message
  bool embedded = false;                  // its fields are members of the enclosing object
  bool pointer = false;                   // an empty value differs from none
  bool kept = false;                      // in JSON even if it is empty
};

struct ProtoMessage {
  std::vector<ProtoField> fields;  // by number
  // JSON has one of its fields in its place: a schema, or a list or flag instead.
  bool is_choice = false;
};

// The message of a kind, of its list, or of a type without group (Status, DeleteOptions); null if
// it is not in the table. Lives as long as the process.
const ProtoMessage* proto_message(std::string_view api_version, std::string_view kind);

}  // namespace dcm::apiserver
