// Limits the values of a body, and of an object. A value takes some hundred bytes here, and is
// visited by each rule, however short its text is: 3 MiB of `{},` would be a million values and
// some gigabytes.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// Members and items at all depths. The largest valid objects (a slice of 128 devices with 32
// attributes, a config map of 1 MiB) have less than half of it.
inline constexpr std::size_t kValuesMax = 50'000;
inline constexpr std::size_t kLevelsMax = 100;

class TooManyValues : public std::length_error {
 public:
  TooManyValues();
};

// The rest of kValuesMax while a body is decoded.
class ItemBudget {
 public:
  // Throws TooManyValues before the values are created, if there would be too many.
  void spend(std::size_t values = 1) {
    if (values > left_) throw TooManyValues();
    left_ -= values;
  }
  std::size_t spent() const { return kValuesMax - left_; }

 private:
  std::size_t left_ = kValuesMax;
};

// An upper bound of the values in a JSON text, counted by brackets and commas, in one pass without
// memory.
std::size_t count_values(std::string_view json);

// Problems of a body that are reported, as many as by the real server: the path of each may be as
// long as the body.
inline constexpr std::size_t kReportedMax = 100;
// All names in the path of a value: each rule may spell out the path of each value.
inline constexpr std::size_t kPathMax = 16 * 1024;
// An object grows by patches, defaults and managed fields, beyond any one body.
inline constexpr std::size_t kObjectValuesMax = 200'000;
inline constexpr std::size_t kObjectBytesMax = 8 * 1024 * 1024;  // of names and texts
inline constexpr std::size_t kObjectLevelsMax = 150;

// Which of these limits the value exceeds; "" if none.
std::string excess_of(const Json& value);
std::string excess_of(const JsonObject& object);
// The value itself, and its members and items at all depths.
std::size_t values_of(const Json& value);
// How deep objects and lists are nested; 0 for a scalar.
std::size_t levels_of(const Json& value);
std::size_t levels_of(const JsonObject& object);

}  // namespace dcm::apiserver
