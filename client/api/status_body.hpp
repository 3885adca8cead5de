// metav1.Status in either format: the body of a refusal, and the object of an ERROR watch event.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/error.hpp"

namespace dcm::api {

// An entry of details.causes.
struct StatusCause {
  std::string reason;
  std::string field;
  std::string message;
};

struct StatusBody {
  std::string kind;
  std::string message;
  std::string reason;
  std::int64_t code = 0;
  std::string details_name;
  std::string details_kind;  // usually the name of a resource: "pods"
  std::int64_t retry_after_seconds = 0;
  std::vector<StatusCause> causes;
};

// The Error for `status` in an answer (or watch event) with this status code.
runtime::Error to_error(std::uint16_t http_status, const StatusBody& status);

}  // namespace dcm::api
