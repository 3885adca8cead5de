// metav1.ObjectMeta, ListMeta, Time and Status
// (k8s.io/apimachinery pkg/apis/meta/v1/generated.proto).
#pragma once

#include <optional>

#include "client/api/decoder.hpp"
#include "client/api/protobuf/field.hpp"
#include "client/api/status_body.hpp"
#include "runtime/time.hpp"

namespace dcm::api::protobuf {

// Numbers of ObjectMeta's fields that some kinds read.
inline constexpr std::uint32_t kGeneration = 7;
inline constexpr std::uint32_t kLabels = 11;
inline constexpr std::uint32_t kAnnotations = 12;
inline constexpr std::uint32_t kOwnerReferences = 13;
inline constexpr std::uint32_t kFinalizers = 14;

// A field of ObjectMeta that every kind has; others are skipped.
void read_common_field(const Field& field, ObjectMeta& meta);

// `on_field(Field)` sees each field as well.
template <class OnField>
void read_metadata(const Field& metadata, ObjectMeta& meta, OnField&& on_field) {
  each_field(metadata, [&](const Field& field) {
    read_common_field(field, meta);
    on_field(field);
  });
}
void read_metadata(const Field& metadata, ObjectMeta& meta);

void read_list_metadata(const Field& metadata, ListMeta& list);
// The metadata of the object in a bookmark.
void read_bookmark(const Field& metadata, BookmarkEvent& bookmark);

// metav1.Time; nullopt for the zero time, which has no bytes.
std::optional<runtime::WallTime> read_time(const Field& time);

// All fields except the kind, which is in the envelope.
StatusBody read_status(const Field& status);

// Reports a missing part that every object must have (see Decoder).
std::optional<runtime::Error> missing_identity(const ObjectMeta& meta);

}  // namespace dcm::api::protobuf
