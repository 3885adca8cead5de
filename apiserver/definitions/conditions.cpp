#include "apiserver/definitions/conditions.hpp"

#include "apiserver/rules/conditions.hpp"

namespace dcm::apiserver {

void set_condition(JsonObject& definition, const Condition& condition, const std::string& now) {
  JsonObject& status = child(definition, "status");
  JsonArray conditions = array_at(status, {"conditions"});
  set_condition(conditions,
                {{"type", condition.type},
                 {"status", condition.status},
                 {"lastTransitionTime", now},
                 {"reason", condition.reason},
                 {"message", condition.message}},
                now);
  status["conditions"] = std::move(conditions);
}

}  // namespace dcm::apiserver
