#include "client/api/protobuf/field.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include "runtime/one_line.hpp"

namespace dcm::api::protobuf {
namespace {

using protozero::pbf_wire_type;

bool is_utf8(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

}  // namespace

std::string_view Texts::valid(std::string_view text) {
  return is_utf8(text) ? text : mended_.emplace_back(runtime::valid_utf8(text));
}

std::string_view Field::bytes() const {
  if (type_ != pbf_wire_type::length_delimited) throw WrongType();
  return bytes_;
}

std::int64_t Field::integer() const {
  if (type_ != pbf_wire_type::varint) throw WrongType();
  return integer_;
}

runtime::Error malformed(std::string_view why) {
  return {runtime::Reason::malformed, fmt::format("protobuf: {}", why)};
}

}  // namespace dcm::api::protobuf
