// metav1.ListMeta, Status and bookmarks in protobuf.
#pragma once

#include <optional>

#include "client/api/decoder.hpp"
#include "client/api/protobuf/field.hpp"
#include "client/api/status_body.hpp"

namespace dcm::api::protobuf {

void read_list_metadata(const Field& metadata, ListMeta& list);
BookmarkEvent read_bookmark(const Field& object);

// Everything but the kind, which is in the envelope.
StatusBody read_status(const Field& status);

// Reports a missing part that every object must have (see Decoder).
std::optional<runtime::Error> missing_identity(const ObjectMeta& meta);

}  // namespace dcm::api::protobuf
