// Conditions as JSON.
#pragma once

#include <vector>

#include <boost/json/fwd.hpp>

#include "client/api/condition.hpp"

namespace dcm::api {

// `status.conditions`.
boost::json::array encode_conditions(const std::vector<Condition>& conditions);

}  // namespace dcm::api
