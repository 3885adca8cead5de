// What the network and the API server do to requests at the moment.
#pragma once

#include <string>
#include <vector>

#include "runtime/time.hpp"

namespace dcm::simulation {

// What admission does not let through.
struct Forbidden {
  std::string verb, resource, subresource;
};

inline constexpr runtime::Duration kLagMax = std::chrono::minutes(1);

// Shares are of requests, from 0 to 1.
struct Weather {
  runtime::Duration latency_max = std::chrono::milliseconds(20);  // each way, drawn per message
  double delayed = 0;  // come to the server late, up to `delay_max`; their client may have gone
  runtime::Duration delay_max = std::chrono::seconds(60);
  double lost_before = 0;  // the connection breaks before the server reads the request
  double lost_after = 0;   // it is carried out, and the connection breaks before the answer
  double cut = 0;          // the connection breaks in the middle of the answer
  double refused = 0;      // get `refusal` as an answer
  int refusal = 503;
  std::string stalled_watches;  // of this resource ("*": all) bring nothing
  bool loses_bookmarks = false;
  // Watches are answered by a replica that is so far behind, those of one resource or all ("*").
  // Lists and single reads are consistent, as Kubernetes promises.
  runtime::Duration lag{};  // at most kLagMax
  std::string lagging_watches = "*";
  std::vector<Forbidden> forbidden;  // of what managers write
  int forbidden_by = 403;            // a quota or policy (403), or a webhook that fails (500)
  double meddled = 0;                // of managers' writes: somebody else comes first by a moment
};

}  // namespace dcm::simulation
