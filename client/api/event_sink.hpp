// Where controllers report to users: core/v1 Events.
#pragma once

#include <string_view>

#include "client/api/event.hpp"

namespace dcm::api {

// Never waits and never fails: an event that cannot be written must not block the work. The
// implementation handles repeated and excess events.
class EventSink {
 public:
  virtual ~EventSink() = default;

  // `component` names the reporter ("node_labeller"); `reason` one word in CamelCase; `message` a
  // text for people.
  virtual void report(const api::ObjectReference& about, api::EventType type,
                      std::string_view component, std::string_view reason,
                      std::string_view message) = 0;
};

}  // namespace dcm::api
