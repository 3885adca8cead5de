// The fields of messages other than objects: metav1.ListMeta, metav1.Status, and bookmarks.
#pragma once

#include "client/api/decoder.hpp"
#include "client/api/fields.hpp"
#include "client/api/frame.hpp"
#include "client/api/status_body.hpp"

namespace dcm::api {

constexpr auto fields_of(const ListMeta*) {
  return rows(row<"resourceVersion", 2>(&ListMeta::resource_version),
              row<"continue", 3>(&ListMeta::continue_token));
}

// An object of the watched kind, with no fields but these.
constexpr auto fields_of(const BookmarkEvent*) {
  constexpr auto set_end = [](Word word, BookmarkEvent& bookmark) {
    bookmark.is_initial_events_end = word == "true";
  };
  return rows(row<"metadata", 1>(rows(
      row<"resourceVersion", 6>(&BookmarkEvent::resource_version),
      row<"annotations", 12>(entries(entry(kInitialEventsEndAnnotation, one<Word>(set_end)))))));
}

constexpr auto fields_of(const StatusCause*) {
  return rows(row<"reason", 1>(&StatusCause::reason), row<"message", 2>(&StatusCause::message),
              row<"field", 3>(&StatusCause::field));
}

constexpr auto fields_of(const StatusBody*) {
  return rows(row<"kind">(&StatusBody::kind),  // in protobuf it is in the envelope
              row<"message", 3>(&StatusBody::message), row<"reason", 4>(&StatusBody::reason),
              row<"details", 5>(rows(
                  row<"name", 1>(&StatusBody::details_name),
                  row<"kind", 3>(&StatusBody::details_kind), row<"causes", 4>(&StatusBody::causes),
                  row<"retryAfterSeconds", 5>(&StatusBody::retry_after_seconds))),
              row<"code", 6>(&StatusBody::code));
}

}  // namespace dcm::api
