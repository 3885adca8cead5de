// Which versions of groups are served in addition to those that are always served, in the words of
// kube-apiserver's flag --runtime-config.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "apiserver/model/resource_table.hpp"

namespace dcm::apiserver {

// Each setting is GROUP/VERSION[=true|false], or api/all, api/beta or api/alpha for all versions of
// that level; a named version overrides a level, whatever the order, as on a real server. The
// error is one line that names the setting, for example one of a version that this server does not
// have, or one that turns a stable version off.
std::expected<ServedVersions, std::string> served_versions(
    const std::vector<std::string>& settings);

}  // namespace dcm::apiserver
