// Makes API objects from JSON with single quotes.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "allocation/json/decode.hpp"
#include "client/api/json/document.hpp"

namespace dcm::allocation {

template <class Fields, class T>
T parse(std::string json) {
  for (char& c : json) c = c == '\'' ? '"' : c;
  T object;
  api::json::Document document(json);
  const bool is_read = document.each_field([&](std::string_view key, api::json::value field) {
    return Fields().read_field({}, key, {document.reader(), field}, object);
  });
  if (!is_read) throw std::runtime_error(document.reader().error().message + " in " + json);
  return object;
}

// A slice of driver "d", and the only one of pool "p", unless overridden by `spec`, which is fields
// without braces.
inline api::ObjectPtr<Slice> parse_slice(std::string_view name, std::string_view spec) {
  const auto unless = [&](std::string_view key, std::string_view text) {
    return spec.contains(fmt::format("'{}'", key)) ? "" : fmt::format("'{}': {}, ", key, text);
  };
  return api::ObjectPtr<Slice>(parse<SliceFields, Slice>(fmt::format(
      "{{'metadata': {{'name': '{}'}}, 'spec': {{{}{}{}}}}}", name, unless("driver", "'d'"),
      unless("pool", "{'name': 'p', 'generation': 1, 'resourceSliceCount': 1}"), spec)));
}

}  // namespace dcm::allocation
