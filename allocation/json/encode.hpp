// Allocations as the API's JSON (v1).
#pragma once

#include <boost/json/object.hpp>

#include "allocation/claim.hpp"

namespace dcm::allocation {

// A driver's parameters may have many levels: API servers accept up to some hundreds.
inline constexpr std::size_t kJsonLevelsMax = 1'000;

// An AllocationResult of a claim's status.
boost::json::object to_json(const AllocationResult& result);
boost::json::object to_json(const NodeSelector& selector);

}  // namespace dcm::allocation
