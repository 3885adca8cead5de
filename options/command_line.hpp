// Reads a command line by a table of settings, like every Kubernetes component (pflag).
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options/setting.hpp"

namespace dcm::options {

enum class FlagType { with_value, switched };
// The type of a flag that is accepted without being in the table; the name has no dashes.
using OtherFlags = std::function<std::optional<FlagType>(std::string_view name)>;

// A value given for a row of the table.
struct Given {
  const Setting* setting;
  Value value;
  std::string where;  // begins error messages: "--kube-api-qps", "manager.yaml:7:8: …"
};

struct OtherFlag {
  std::string shown;  // "--cluster-cidr"
  std::string value;
};

struct CommandLine {
  std::vector<Given> given;  // in order; the last one for a row wins
  Strings words;             // arguments other than flags
  // Accepted flags that are not in the table.
  std::vector<OtherFlag> others = {};
  bool wants_help = false;
  bool wants_version = false;
};

// `--name value`, `--name=value`, `--switch`, `--switch=false`, `-v 4`, `-v=4`, `-v4`, and `--`,
// after which all arguments are words. A list or map given several times is merged. `table` must
// outlive the result. Errors: one line that names the flag, what it got and what was expected; the
// value of an unknown flag is never part of it.
std::expected<CommandLine, std::string> parse_command_line(std::span<const Setting> table,
                                                           const Strings& arguments,
                                                           const OtherFlags& others = {});

}  // namespace dcm::options
