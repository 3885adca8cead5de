// The claim manager's ports: claims of the API server, and driver calls.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "node/claims/allocation.hpp"
#include "node/claims/decide.hpp"
#include "runtime/error.hpp"
#include "runtime/task.hpp"

namespace dcm::node {

class ClaimSource {
 public:
  virtual ~ClaimSource() = default;
  // Reads from the API server, never from a cache, which may be older than the reservation.
  virtual runtime::Task<runtime::Result<ClaimView>> get(api::NamespacedName key) = 0;
};

// Errors are formatted like gRPC's in Go: "rpc error: code = Unavailable desc = …".
class DriverCalls {
 public:
  using Answer = std::expected<Answers, std::string>;

  virtual ~DriverCalls() = default;
  virtual bool is_registered(const std::string& driver) const = 0;
  virtual runtime::Task<Answer> prepare(std::string driver, std::vector<ClaimRef> claims) = 0;
  virtual runtime::Task<Answer> unprepare(std::string driver, std::vector<ClaimRef> claims) = 0;
};

}  // namespace dcm::node
