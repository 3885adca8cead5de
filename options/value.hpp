// The value of a setting, however it was given: in a flag, in a configuration file, or by default.
//
// The alternative held by a value is the type of its setting; there are no implicit conversions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/time.hpp"

namespace dcm::options {

using Strings = std::vector<std::string>;
using Switches = std::map<std::string, bool>;  // feature gates
// Durations are strings, as in the Kubernetes API: "15s".
using Value = std::variant<bool, std::int64_t, double, std::string, Strings, Switches>;

// Reads a flag's text as a value of the same type as `like`: lists are separated by commas,
// switches are NAME=true or NAME=false, optionally surrounded by spaces. nullopt if invalid.
std::optional<Value> parse_value(const Value& like, std::string_view text);

// Writes `value` in the format of parse_value.
std::string to_text(const Value& value);

// "a whole number", "a list of strings".
std::string_view type_of(const Value& value);

// Merges `given` over `below`. Switches are merged one by one; other values are replaced.
Value overlay(const Value& below, const Value& given);

// Durations in the format of Kubernetes' flags (Go's time.ParseDuration): "15s", "1m30s", "0.5s".
// Consecutive numbers with units (h, m, s, ms, us, ns); also a bare 0. nullopt for any other text,
// a sign, or more than a Duration can hold.
std::optional<runtime::Duration> parse_duration(std::string_view text);

// Writes `duration` in the format of parse_duration.
std::string format_duration(runtime::Duration duration);

}  // namespace dcm::options
