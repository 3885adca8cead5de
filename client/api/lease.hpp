// coordination.k8s.io/v1 Lease, as leader election reads and writes it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/api/meta.hpp"
#include "runtime/error.hpp"

namespace dcm::api {

// The leader. The times are strings (metav1.MicroTime): they come from the holder's clock, so no
// other process may calculate with them.
struct LeaseSpec {
  std::string holder;  // empty: nobody
  // How long the holder may be considered alive after each renewal; nullopt if unspecified.
  std::optional<std::chrono::seconds> duration;
  std::string acquire_time;
  std::string renew_time;
  std::int64_t transitions = 0;

  friend bool operator==(const LeaseSpec&, const LeaseSpec&) = default;
};

struct Lease {
  ObjectMeta meta;
  LeaseSpec spec;
};

// Errors: malformed, with the path of the field.
runtime::Result<Lease> decode_lease(std::string_view body);

}  // namespace dcm::api
