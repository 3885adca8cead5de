#include "client/api/condition.hpp"

#include <algorithm>
#include <utility>

namespace dcm::api {

bool Condition::says_the_same(const Condition& other) const {
  return type == other.type && status == other.status && reason == other.reason &&
         message == other.message && observed_generation == other.observed_generation;
}

const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &Condition::type);
  return found == conditions.end() ? nullptr : &*found;
}

bool set_condition(std::vector<Condition>& conditions, Condition condition, runtime::WallTime now) {
  const auto old = std::ranges::find(conditions, condition.type, &Condition::type);
  condition.last_transition_time = now;
  if (old == conditions.end()) {
    conditions.push_back(std::move(condition));
    return true;
  }
  if (old->says_the_same(condition)) return false;
  if (old->status == condition.status) condition.last_transition_time = old->last_transition_time;
  *old = std::move(condition);
  return true;
}

}  // namespace dcm::api
