// The texts of --help, laid out as those of Kubernetes' components: flags under headings.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cmd/dra-controller-manager/commands.hpp"
#include "cmd/dra-controller-manager/options/setting.hpp"

namespace dcm::manager {

inline constexpr std::string_view kSummary =
    "Makes and releases ResourceClaims for pods, and evicts pods from tainted devices.";

std::string manager_help(std::span<const Setting> table);
std::string command_help(const Command& command);

// "--kube-api-qps NUMBER", "-v, --v NUMBER", "--leader-elect".
std::string flag_usage(const Setting& setting);

// The sentences about a setting, its default among them.
std::string full_help(const Setting& setting);

// Breaks at blanks into lines of at most `width`, each after `indent` blanks.
std::string wrap(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace dcm::manager
