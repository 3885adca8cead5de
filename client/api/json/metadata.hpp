// metav1.ObjectMeta and ListMeta.
#pragma once

#include <optional>
#include <string_view>

#include "client/api/json/reader.hpp"
#include "client/api/meta.hpp"

namespace dcm::api::json {

// Reads a field of `metadata`; `known` becomes true for a field that every kind has.
[[nodiscard]] bool read_common_field(Reader& reader, std::string_view key, value field,
                                     ObjectMeta& meta, bool& known);

// `metadata`; fields that not every kind has go to `on_field`. `managedFields`, often the largest
// part of an object, is skipped like all unused fields.
template <class OnField>
[[nodiscard]] bool read_metadata(Reader& reader, value metadata, ObjectMeta& meta,
                                 OnField&& on_field) {
  return reader.each_field(metadata, [&](std::string_view key, value field) {
    bool known = true;
    if (!read_common_field(reader, key, field, meta, known)) return false;
    return known || on_field(key, field);
  });
}
[[nodiscard]] bool read_metadata(Reader& reader, value metadata, ObjectMeta& meta);

// Every stored object has a name, a UID and a resource version, and our writes rely on them.
// Anything without them (such as a Status) is not accepted as an object.
[[nodiscard]] bool check_identity(Reader& reader, const ObjectMeta& meta);

}  // namespace dcm::api::json
