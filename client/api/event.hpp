// core/v1 Event, as we write it.
#pragma once

#include <cstdint>
#include <string>

#include "client/api/meta.hpp"
#include "client/api/resource.hpp"
#include "runtime/time.hpp"

namespace dcm::api {

enum class EventType : std::uint8_t { normal, warning };

// The object an event is about.
struct ObjectReference {
  std::string api_version;
  std::string kind;
  NamespacedName key;
  Uid uid;
  std::string resource_version;  // empty: left out
};

inline ObjectReference reference_to(const Resource& resource, const ObjectMeta& object) {
  return {.api_version = resource.api_version(),
          .kind = std::string(resource.kind->kind),
          .key = object.key,
          .uid = object.uid,
          .resource_version = object.resource_version.str()};
}

struct Event {
  NamespacedName key;
  ObjectReference involved_object;
  EventType type = EventType::normal;
  std::string reason;
  std::string message;
  std::string component;
  std::int64_t count = 1;
  runtime::WallTime first_time;
  runtime::WallTime last_time;
};

}  // namespace dcm::api
