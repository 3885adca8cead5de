#include "cel/kubernetes/libraries.hpp"

namespace dcm::cel {

void add_kubernetes(Library& library) {
  for (const auto rows : {quantity_functions(), semver_functions(), address_functions(),
                          url_functions(), format_functions(), authorization_functions()})
    library.add(rows);
  for (const auto name : {kAddressType, kNetType})
    library.add_opaque(std::string(name), Library::TypeName::can_be_written);
  for (const auto name : {kQuantityType, kSemverType, kUrlType, kFormatType})
    library.add_opaque(std::string(name), Library::TypeName::is_hidden);
}

}  // namespace dcm::cel
