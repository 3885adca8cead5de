// The order of versions (apimachinery's util/version, CompareKubeAwareVersionStrings): stable ones
// before betas before alphas, larger numbers first; other names last, alphabetically.
#pragma once

#include <string_view>

namespace dcm::apiserver {

bool goes_before(std::string_view a, std::string_view b);

}  // namespace dcm::apiserver
