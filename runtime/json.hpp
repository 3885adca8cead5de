// Reading JSON from outside: parts that are missing, or of another type, are empty.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "runtime/error.hpp"

namespace dcm::runtime {

// Errors: malformed: not one JSON value, or of more than 10,000 levels, which no API server stores.
Result<boost::json::value> parse_json(std::string_view text);
// Errors: malformed, also if it is another value.
Result<boost::json::object> parse_json_object(std::string_view text);

// `pointer`: "/metadata/name". Null if there is no such part.
const boost::json::value* find_at(const boost::json::value& whole, std::string_view pointer);
std::string text_at(const boost::json::value& whole, std::string_view pointer);
std::int64_t integer_at(const boost::json::value& whole, std::string_view pointer);
const boost::json::array& array_at(const boost::json::value& whole, std::string_view pointer);
const boost::json::object& object_at(const boost::json::value& whole, std::string_view pointer);
// The same for objects, without a copy into a value. The first key is not escaped.
const boost::json::value* find_at(const boost::json::object& whole, std::string_view pointer);
std::string text_at(const boost::json::object& whole, std::string_view pointer);
std::int64_t integer_at(const boost::json::object& whole, std::string_view pointer);
const boost::json::array& array_at(const boost::json::object& whole, std::string_view pointer);

}  // namespace dcm::runtime
