// Messages that expressions can create without a schema: google.protobuf.Duration{…}, Timestamp,
// and the scalar wrappers.
#pragma once

#include <span>
#include <string_view>

#include "cel/types.hpp"
#include "cel/value.hpp"

namespace dcm::cel {

struct Message {
  struct Field {
    std::string_view name;
    const Type* type;
  };

  std::string_view name;
  const Type* type;  // of the message as a value
  std::span<const Field> fields;
  Value (*make)(std::span<const std::string_view> fields, std::span<const Value> values,
                Arena& arena);
};

const Message* find_message(std::string_view name);
const Type* field_type(const Message& message, std::string_view field);

}  // namespace dcm::cel
