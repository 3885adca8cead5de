// The order of versions (apimachinery's util/version, CompareKubeAwareVersionStrings): stable ones
// before betas and these before alphas, greater numbers first; other names come last, by the
// alphabet.
#pragma once

#include <string_view>

namespace dcm::apiserver {

bool goes_before(std::string_view a, std::string_view b);

}  // namespace dcm::apiserver
