// What the network and the API server do to requests at the moment.
#pragma once

#include <string>

#include "runtime/time.hpp"

namespace dcm::simulation {

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
};

}  // namespace dcm::simulation
