// The value of a setting, however it was given: in a flag, in a configuration file, or by default.
//
// The alternative that a value holds is the type of its setting; nothing is converted behind it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/time.hpp"

namespace dcm::manager {

using Strings = std::vector<std::string>;
using Switches = std::map<std::string, bool>;  // feature gates
// Durations are strings, as in the Kubernetes API: "15s".
using Value = std::variant<bool, std::int64_t, double, std::string, Strings, Switches>;

// Reads a flag's text as a value of the type that `like` has: lists are separated by commas,
// switches are NAME=true or NAME=false, with spaces around them or not. Nothing: it is no such
// value.
std::optional<Value> parse_value(const Value& like, std::string_view text);

// As parse_value reads it.
std::string to_text(const Value& value);

// "a whole number", "a list of strings".
std::string_view type_of(const Value& value);

// Puts `given` above `below`: switch by switch, and everything else as a whole.
Value overlay(const Value& below, const Value& given);

// Durations as Kubernetes' flags have them (Go's time.ParseDuration): "15s", "1m30s", "0.5s".
// Numbers with units (h, m, s, ms, us, ns) one after the other; a bare 0 too. Nothing for any other
// text, a sign, or more than a Duration can hold.
std::optional<runtime::Duration> parse_duration(std::string_view text);

// As parse_duration reads it.
std::string format_duration(runtime::Duration duration);

}  // namespace dcm::manager
