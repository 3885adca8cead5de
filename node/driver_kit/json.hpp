// Parts of JSON objects from the API; missing parts, or those of another type, are empty.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace dcm::driver_kit {

// `pointer`: "/metadata/name".
const boost::json::value* find_at(const boost::json::value& whole, std::string_view pointer);
std::string text_at(const boost::json::value& whole, std::string_view pointer);
std::int64_t integer_at(const boost::json::value& whole, std::string_view pointer);
const boost::json::array& array_at(const boost::json::value& whole, std::string_view pointer);

}  // namespace dcm::driver_kit
