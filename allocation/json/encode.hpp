// Allocations as the API's JSON (v1).
#pragma once

#include <boost/json/object.hpp>

#include "allocation/claim.hpp"

namespace dcm::allocation {

// An AllocationResult of a claim's status.
boost::json::object to_json(const AllocationResult& result);
boost::json::object to_json(const NodeSelector& selector);

}  // namespace dcm::allocation
