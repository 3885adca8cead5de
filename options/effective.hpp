// Combines settings into effective ones: flags override the file, the file overrides the defaults.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "options/command_line.hpp"

namespace dcm::options {

// A contradiction between individually valid values.
struct Conflict {
  std::string flag;  // the one to blame, without dashes
  std::string why;
};

struct Effective {
  std::vector<Value> values;        // for each row of the table
  std::vector<std::string> places;  // where each was given: "--v", "manager.yaml:7:8: …"
};

// Layers `given` (later ones win) over the defaults of `table`, and applies every row. Errors: one
// line that begins with where the value was given.
std::expected<Effective, std::string> apply_settings(std::span<const Setting> table,
                                                     std::span<const Given> given);

// "manager.yaml:7:8: leaderElection.resourceName: why".
std::string describe(const Conflict& conflict, std::span<const Setting> table,
                     const Effective& effective);

}  // namespace dcm::options
