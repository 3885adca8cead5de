// Kubernetes' protobuf (`application/vnd.kubernetes.protobuf`) from and to JSON objects, as used by
// Go programs. An object travels in an envelope that names its kind; a watch is a stream of frames.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
inline constexpr std::string_view kProtobufWatch =
    "application/vnd.kubernetes.protobuf;stream=watch";

// The object as Go would write it as JSON, including apiVersion and kind. Unknown fields are
// skipped, as in a real server. 400 for anything but Kubernetes protobuf, for an unknown kind, and
// for more than kValuesMax values.
Result<JsonObject> decode_protobuf(std::string_view body);

// With its envelope; members that the message lacks are omitted. Requires that the table has the
// kind (encodes_protobuf()).
std::string encode_protobuf(std::string_view api_version, std::string_view kind,
                            const JsonObject& object);
bool encodes_protobuf(std::string_view api_version, std::string_view kind);

// The bytes of an object without envelope, as protobuf_list_item() takes it.
std::string encode_protobuf_item(std::string_view api_version, std::string_view kind,
                                 const JsonObject& object);
// A list of `kind`List is this head followed by its items. `bytes`: of the items as returned by
// protobuf_list_item().
std::string protobuf_list_head(std::string_view api_version, std::string_view list_kind,
                               const JsonObject& metadata, std::size_t bytes);
std::string protobuf_list_item(std::string_view item);

// A watch event; `object` is in its envelope.
std::string protobuf_event(std::string_view type, std::string_view object);

}  // namespace dcm::apiserver
