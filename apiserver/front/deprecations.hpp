// What each answer about a deprecated version of a kind warns of.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/model/resource_table.hpp"

namespace dcm::apiserver {

// In the words of kube-apiserver 1.37; "" for a version that is not deprecated there, or by the
// definition of a kind that is defined.
std::string deprecation_of(const ResourceType& type, std::string_view version);

}  // namespace dcm::apiserver
