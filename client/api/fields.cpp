#include "client/api/fields.hpp"

namespace dcm::api {

// The API group is without the version, which must not be compared.
ControllerRef OwnerView::ref() const {
  const auto slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  return {group, kind, std::string(name), Uid(uid)};
}

}  // namespace dcm::api
