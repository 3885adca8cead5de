// The conditions of a definition's status.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// Keeps a definition until its objects are gone.
inline constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

struct Condition {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string message;
};

// `now` is the transition time if the status changes.
void set_condition(JsonObject& definition, const Condition& condition, const std::string& now);

}  // namespace dcm::apiserver
