// Boost.JSON's own view type, to which std::string_view does not convert everywhere.
#pragma once

#include <string_view>

#include <boost/json/string_view.hpp>

namespace dcm::api {

inline boost::json::string_view view(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace dcm::api
