// Manifests as JSON, for tests that apply what users apply.
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

namespace dcm::support {

// The documents of a YAML file of this checkout ("manifests/base/rbac.yaml"); every scalar becomes
// a string. Throws YAML::Exception.
std::vector<boost::json::value> read_manifests(const std::string& file);

}  // namespace dcm::support
