// The formats of strings that kube-apiserver knows in schemas of custom resources.
#pragma once

#include <string_view>

namespace dcm::apiserver {

// "date-time" and "datetime" are the same format. Others are ignored, with a warning to the
// definition's author.
bool is_known_format(std::string_view type, std::string_view format);
bool fits_format(std::string_view format, std::string_view text);

}  // namespace dcm::apiserver
