// Quantities as the API server writes them: it stores 1024Mi as 1Gi, and the number 4 as "4". An
// equal slice must not look changed to a driver that has just started.
#pragma once

#include <boost/json/object.hpp>

namespace dcm::driver_kit {

// Rewrites the quantities in the capacities and counters of a device, or of a set of counters;
// invalid ones are kept.
void write_quantities_as_stored(boost::json::object& part);

}  // namespace dcm::driver_kit
