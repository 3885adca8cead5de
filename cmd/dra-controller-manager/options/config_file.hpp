// The configuration file: YAML with its own kind and version, like Kubernetes' component
// configuration. Each key corresponds to a flag, in the same table.
//
// Strict, like component configuration: unknown keys, duplicate keys and values of another type are
// errors, so that a typo does not run a cluster with defaults.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/dra-controller-manager/namespaces.hpp"
#include "options/command_line.hpp"
#include "options/setting.hpp"

namespace dcm::dra_manager {

inline constexpr std::string_view kConfigGroup = "dra-controller-manager.dev";
inline constexpr std::string_view kConfigVersion = "dra-controller-manager.dev/v1alpha1";
inline constexpr std::string_view kConfigKind = "ControllerManagerConfiguration";

// The settings in `text`. `file` is its name in messages; `table` must outlive the result. Errors:
// one line, "file:line:column: key: what was expected, and what was found".
std::expected<std::vector<Given>, std::string> parse_config_file(std::span<const Setting> table,
                                                                 const std::string& text,
                                                                 const std::string& file);

// The configuration in the format of such a file, as JSON: every row with a key, given or not.
// `values[i]` is the value of `table[i]`.
std::string to_json(std::span<const Setting> table, std::span<const Value> values);

}  // namespace dcm::dra_manager
