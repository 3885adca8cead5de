// Bytes to objects: one interface for every kind and format. Nothing above knows the format, except
// how watch events are separated (client/request/watch_frames.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "client/api/format.hpp"
#include "client/api/meta.hpp"
#include "client/api/object_ptr.hpp"
#include "client/api/status.hpp"
#include "runtime/error.hpp"

namespace dcm::api {

using runtime::Result;

// A decoded object. `object` is null if its cache does not keep it. Its identity is still needed,
// because the cache may have kept it before.
template <class T>
struct Decoded {
  ObjectMeta meta;
  ObjectPtr<T> object;
};

// The metadata of a list.
struct ListMeta {
  ResourceVersion resource_version;
  std::string continue_token;  // empty: the last page
};

enum class ChangeType : std::uint8_t { added, modified, deleted };

template <class T>
struct ChangeEvent {
  ChangeType type;
  Decoded<T> subject;
};

struct BookmarkEvent {
  ResourceVersion resource_version;
  bool is_initial_events_end = false;  // annotated `k8s.io/initial-events-end: "true"`
};

// The server ends the stream with a reason (410: the version is too old).
struct ErrorEvent {
  runtime::Error error;
};

template <class T>
using WatchEvent = std::variant<ChangeEvent<T>, BookmarkEvent, ErrorEvent>;

// Decodes one kind. Errors: malformed, with the path of the field (where the format has names) and
// the expected type; also for an object without name, UID or resource version. Unused fields are
// skipped and not validated.
template <class T>
class Decoder {
 public:
  virtual ~Decoder() = default;

  // The media types that it reads, for the Accept header, the preferred one first.
  virtual std::string_view accept() const = 0;
  virtual Result<Decoded<T>> decode_object(std::string_view body) const = 0;
  // Passes each item to `sink` while reading: a list is never held twice. After an error, the items
  // passed so far are an unknown part of the list.
  virtual Result<ListMeta> decode_list(std::string_view body,
                                       const std::function<void(Decoded<T>)>& sink) const = 0;
  virtual Result<WatchEvent<T>> decode_watch_event(std::string_view frame) const = 0;
};

}  // namespace dcm::api
