#include "apiserver/definitions/conditions.hpp"

#include <algorithm>

namespace dcm::apiserver {

void set_condition(JsonObject& definition, const Condition& condition, const std::string& now) {
  JsonObject& status = child(definition, "status");
  JsonArray conditions = array_at(status, {"conditions"});
  const auto found = std::ranges::find_if(conditions, [&](const Json& one) {
    return text_at(as_object(one), {"type"}) == condition.type;
  });
  const bool stays =
      found != conditions.end() && text_at(as_object(*found), {"status"}) == condition.status;
  const std::string since =
      stays ? std::string(text_at(as_object(*found), {"lastTransitionTime"})) : now;
  JsonObject written{{"type", condition.type},
                     {"status", condition.status},
                     {"lastTransitionTime", since},
                     {"reason", condition.reason},
                     {"message", condition.message}};
  if (found != conditions.end()) {
    *found = std::move(written);
  } else {
    conditions.emplace_back(std::move(written));
  }
  status["conditions"] = std::move(conditions);
}

}  // namespace dcm::apiserver
