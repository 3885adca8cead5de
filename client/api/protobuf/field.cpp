#include "client/api/protobuf/field.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <simdjson.h>

namespace dcm::api::protobuf {
namespace {

using protozero::pbf_wire_type;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::size_t kSequenceMax = 4;

bool is_utf8(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

// The length of the first character; 0 if there is none.
std::size_t character_length(std::string_view text) {
  for (std::size_t length = 1; length <= std::min(kSequenceMax, text.size()); ++length) {
    if (is_utf8(text.substr(0, length))) return length;
  }
  return 0;
}

std::string mend(std::string_view text) {
  std::string mended;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    mended += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return mended;
}

}  // namespace

std::string_view Texts::valid(std::string_view text) {
  return is_utf8(text) ? text : mended_.emplace_back(mend(text));
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
