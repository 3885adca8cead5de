// The warning in answers about a deprecated version of a kind.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/model/resource_table.hpp"

namespace dcm::apiserver {

// As worded by kube-apiserver 1.37; "" for a version that neither it nor the kind's
// CustomResourceDefinition deprecates.
std::string deprecation_of(const ResourceType& type, std::string_view version);

}  // namespace dcm::apiserver
