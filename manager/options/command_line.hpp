// Reads a command line by a table of settings, in the manner of every Kubernetes component (pflag).
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manager/options/setting.hpp"

namespace dcm::manager {

enum class FlagType { with_value, switched };
// The type of a flag that is not in the table but may be given, without its dashes.
using OtherFlags = std::function<std::optional<FlagType>(std::string_view name)>;

// A value that was given for a row of the table.
struct Given {
  const Setting* setting;
  Value value;
  std::string where;  // begins a message about it: "--kube-api-qps", "manager.yaml:7:8: …"
};

struct OtherFlag {
  std::string shown;  // "--cluster-cidr"
  std::string value;
};

struct CommandLine {
  std::vector<Given> given;  // in order; the last one for a row counts
  Strings words;             // what is no flag
  // Of those that may be given without being in the table.
  std::vector<OtherFlag> others = {};
  bool wants_help = false;
  bool wants_version = false;
};

// `--name value`, `--name=value`, `--switch`, `--switch=false`, `-v 4`, `-v=4`, `-v4`, and `--`,
// after which all are words. A list or map that is given several times is put together. `table`
// must outlive the result. Errors: one line that names the flag, what it got and what was expected;
// the value of an unknown flag is never part of it.
std::expected<CommandLine, std::string> parse_command_line(std::span<const Setting> table,
                                                           const Strings& arguments,
                                                           const OtherFlags& others = {});

}  // namespace dcm::manager
