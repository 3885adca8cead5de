#include "client/api/encode_conditions.hpp"

#include <utility>

#include <boost/json.hpp>

#include "runtime/timestamp.hpp"

namespace dcm::api {

boost::json::array encode_conditions(const std::vector<Condition>& conditions) {
  boost::json::array list;
  for (const Condition& condition : conditions) {
    boost::json::object item{{"type", condition.type},
                             {"status", condition.status},
                             {"reason", condition.reason},
                             {"message", condition.message}};
    if (condition.observed_generation != 0) {
      item["observedGeneration"] = condition.observed_generation;
    }
    item["lastTransitionTime"] = runtime::timestamp(condition.last_transition_time);
    list.push_back(std::move(item));
  }
  return list;
}

}  // namespace dcm::api
