#include "apiserver/model/target.hpp"

namespace dcm::apiserver {

std::string_view subresource_of(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::main:
      return "";
    case Endpoint::status:
      return "status";
    case Endpoint::finalize:
      return "finalize";
    case Endpoint::scale:
      return "scale";
  }
  return "";
}

}  // namespace dcm::apiserver
