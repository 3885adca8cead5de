// metav1.WatchEvent, whatever the format it came in.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "client/api/status_body.hpp"
#include "runtime/error.hpp"

namespace dcm::api {

enum class FrameType : std::uint8_t { added, modified, deleted, bookmark, error };

// nullopt for an unknown type.
std::optional<FrameType> frame_type(std::string_view name);

// "true" on the bookmark that ends the initial events.
inline constexpr std::string_view kInitialEventsEndAnnotation = "k8s.io/initial-events-end";

// The error of an ERROR frame. Its status code is in its object, or follows from its reason.
runtime::Error frame_error(const StatusBody& status);

}  // namespace dcm::api
