// Parts of a ResourceSlice; missing ones are empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace dcm::driver_kit {

// Hexadecimal digits at the beginning of a slice's name: schedulers visit slices by name.
inline constexpr std::size_t kIndexDigits = 5;

std::string slice_name(const boost::json::object& slice);
std::string pool_of(const boost::json::object& slice);
std::int64_t generation_of(const boost::json::object& slice);
// A slice's index in its pool, from its name; nullopt: it is not named by the kit's rules.
std::optional<std::size_t> index_of(const boost::json::object& slice);
const boost::json::array& slice_devices(const boost::json::object& slice);
// The spec without fields derived from driver, node and pool.
boost::json::object slice_content(const boost::json::object& slice);

}  // namespace dcm::driver_kit
