// How the API server changed written slices: it fills in defaults and drops fields of disabled
// features, which must not be written again and again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

namespace dcm::driver_kit {

// The parts of a spec that the driver determines.
struct AcceptedContent {
  boost::json::object written;
  boost::json::object stored;
};
using AcceptedSlices = std::map<std::string, AcceptedContent>;  // by the slice's name

// Paths of written fields that were not stored: "devices[0].taints".
std::vector<std::string> dropped_fields(const boost::json::object& written,
                                        const boost::json::object& stored);

// The slice without list attributes: a server without DRAListTypeAttributes drops the lists and
// then rejects the slice, for attributes without a value. nullopt if there are none.
std::optional<boost::json::object> without_lists(boost::json::object slice);

}  // namespace dcm::driver_kit
