// The bodies of writes that every controller needs, as JSON: DeleteOptions and events.
#pragma once

#include <string>

#include "client/api/event.hpp"
#include "client/api/meta.hpp"

namespace dcm::api {

// DeleteOptions with the UID as precondition.
std::string encode_delete_options(const Uid& uid);

std::string encode_event(const Event& event);
// A repetition: updates count, time and message of an existing event.
std::string encode_event_repetition(const Event& event);

}  // namespace dcm::api
