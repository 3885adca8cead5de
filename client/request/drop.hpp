// Media types that request objects without `managedFields` (KEP-5958), which can be half of an
// object: for objects that are read and never sent back whole.
#pragma once

#include <string>
#include <string_view>

namespace dcm::client {

// `accept`: media types separated by commas. Servers that do not know the parameter ignore it.
inline std::string without_managed_fields(std::string_view accept) {
  std::string made;
  while (!accept.empty()) {
    const auto end = accept.find(',');
    if (!made.empty()) made += ',';
    made += accept.substr(0, end);
    made += ";drop=metadata.managedFields";
    accept = end == std::string_view::npos ? std::string_view() : accept.substr(end + 1);
  }
  return made;
}

}  // namespace dcm::client
