#pragma once

#include <boost/json/object.hpp>

#include "cel/kubernetes/selector.hpp"
#include "test/allocation/device_json.hpp"

namespace dcm::allocation_judge {

// Each kind of request: returns the answer without its ID. Keeps only compiled selectors between
// requests.
boost::json::object answer_selector(const boost::json::object& request);
boost::json::object answer_allocate(const boost::json::object& request);
boost::json::object answer_derived(const boost::json::object& request);

// A request of the first two kinds with `measure`: returns how long the question takes.
boost::json::object answer_measure(const boost::json::object& request);

// Parts of a request of the kind `selector`.
std::expected<std::shared_ptr<const cel::Selector>, std::string> selector_of(
    const boost::json::object& request);
DeviceJson device_of(const boost::json::object& request);

}  // namespace dcm::allocation_judge
