// What proves who we are, asked for with each request.
#pragma once

#include <memory>
#include <string>

#include "runtime/error.hpp"
#include "runtime/http/message.hpp"
#include "runtime/log.hpp"
#include "runtime/task.hpp"
#include "runtime/time.hpp"

namespace dcm::client {

class Credentials {
 public:
  virtual ~Credentials() = default;

  // Adds the header fields that identify us: `Authorization`, or none for a client certificate.
  // Errors: configuration (a token file that cannot be read).
  virtual runtime::Task<runtime::Result<>> authorize(http::Headers& headers) = 0;

  enum class Refreshed { no, yes };
  // The server answered 401 to the Authorization `rejected` (empty: none was sent). Reads anew what
  // can be read anew; `yes` when we have something else than `rejected` now, so that trying again
  // makes sense. Of many requests that were refused together, each is told `yes`.
  virtual runtime::Task<Refreshed> refresh(std::string rejected) = 0;
};

struct ClusterConfig;
// The Authorization of `config`. A token file is read again every minute and after a 401; while it
// cannot be, its last token is used on, and `log` says so. `time` must outlive what is returned.
std::unique_ptr<Credentials> make_credentials(const ClusterConfig& config,
                                              const runtime::TimeSource& time,
                                              runtime::Logger log = {});

}  // namespace dcm::client
