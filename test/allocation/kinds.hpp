#pragma once

#include <boost/json/object.hpp>

namespace dcm::allocation_judge {

// Each kind of request: what it answers, without the id. Keeps nothing from one request to the next
// but compiled selectors.
boost::json::object answer_selector(const boost::json::object& request);
boost::json::object answer_allocate(const boost::json::object& request);
boost::json::object answer_derived(const boost::json::object& request);

}  // namespace dcm::allocation_judge
