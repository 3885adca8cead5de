// The texts of --help, formatted as in Kubernetes' components: flags under headings.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "options/setting.hpp"

namespace dcm::options {

inline constexpr std::size_t kHelpWidth = 90;

// All rows under their headings, in the order of the table.
std::string grouped_flags(std::span<const Setting> table);
// One flag or command, and its description.
std::string flag_lines(std::string_view usage, std::string_view help);

// "--kube-api-qps NUMBER", "-v, --v NUMBER", "--leader-elect".
std::string flag_usage(const Setting& setting);

// The sentences about a setting, including its default.
std::string full_help(const Setting& setting);

// Breaks at blanks into lines of at most `width`, each indented by `indent` blanks.
std::string wrap(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace dcm::options
