// Names of container images, as the distribution project reads them.
#pragma once

#include <string_view>

namespace dcm::apiserver {

// Whether an image is always pulled: it has no tag, or the tag "latest", and no digest. An invalid
// reference has neither.
bool names_latest(std::string_view image);

}  // namespace dcm::apiserver
