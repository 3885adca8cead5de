// What proves who we are, asked for with each request.
#pragma once

#include "runtime/error.hpp"
#include "runtime/http/message.hpp"
#include "runtime/task.hpp"

namespace dcm::client {

class Credentials {
 public:
  virtual ~Credentials() = default;

  // Adds the header fields that identify us: `Authorization`, or none for a client certificate.
  // Errors: configuration (a token file that cannot be read).
  virtual runtime::Task<runtime::Result<>> authorize(http::Headers& headers) = 0;

  enum class Refreshed { no, yes };
  // The server answered 401. Reads anew what can be read anew; `yes` when that brought something
  // else than before, so that trying again makes sense.
  virtual runtime::Task<Refreshed> refresh() = 0;
};

}  // namespace dcm::client
