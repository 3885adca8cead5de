// The messages of Kubernetes' protobuf encoding, and how their fields are called in JSON: the table
// that tables.py makes from the published Go modules.
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
    boolean,
    raw,      // JSON within the message
    strings,  // a list of text in a message of its own
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
  bool embedded = false;                  // its fields are members of the object around it
  bool pointer = false;                   // an empty value is told from none
  bool kept = false;                      // in JSON even if it is empty
};

struct ProtoMessage {
  std::vector<ProtoField> fields;  // by number
};

// The message of a kind, of a list of it, or of what belongs to no group (Status, DeleteOptions);
// null for what the table lacks. Lives as long as the process.
const ProtoMessage* proto_message(std::string_view api_version, std::string_view kind);

}  // namespace dcm::apiserver
