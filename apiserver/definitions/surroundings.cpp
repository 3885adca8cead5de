#include "apiserver/definitions/surroundings.hpp"

#include <ranges>

namespace dcm::apiserver {

Surroundings Surroundings::with(Step step) const {
  Surroundings below = *this;
  below.steps_.push_back(std::move(step));
  return below;
}

Json Surroundings::around(Json value) const {
  for (const Step& step : steps_ | std::views::reverse) {
    Json outer = step ? Json(JsonObject{{*step, value}}) : Json(JsonArray{value});
    value = std::move(outer);
  }
  return value;
}

const Json* Surroundings::find_in(const Json& object) const {
  const Json* value = &object;
  for (const Step& step : steps_) {
    if (step) {
      value = value->is_object() ? value->get_object().if_contains(*step) : nullptr;
    } else {
      value = value->is_array() ? value->get_array().if_contains(0) : nullptr;
    }
    if (value == nullptr) return nullptr;
  }
  return value;
}

}  // namespace dcm::apiserver
