// The table of all settings: flag, key in the configuration file, default, help and valid values.
// Command line, file, --help, manual page, /flagz and /configz are all derived from it.
#pragma once

#include <optional>
#include <string>

#include "client/config/config.hpp"
#include "cmd/dra-controller-manager/namespaces.hpp"
#include "cmd/dra-controller-manager/options.hpp"
#include "manager/options/standard.hpp"
#include "options/effective.hpp"
#include "options/setting.hpp"

namespace dcm::dra_manager {

// The result of the rows: options, and values that become options once all are known.
struct Draft {
  Options options;
  std::string config_file;
  Strings controllers = {"*"};
  Switches feature_gates;
  bool dry_run = false;
  runtime::Duration dry_run_timeout = std::chrono::seconds(30);
  ElectionFlags election = {.lease_namespace = kLeaseNamespace, .lease_name = kProgram};
};

// The table of the manager itself. `draft` must outlive it.
Settings make_settings(Draft& draft);

// Completes `draft.options` after every row was applied. Returns conflicting settings.
std::optional<Conflict> settle(Draft& draft);

}  // namespace dcm::dra_manager
