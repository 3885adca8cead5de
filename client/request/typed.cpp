#include "client/request/typed.hpp"

namespace dcm::client {

runtime::Error name_source(runtime::Error error, const std::string& url) {
  error.message = url + ": " + error.message;
  return error;
}

}  // namespace dcm::client
