// What a piece of a watch's stream contains, in JSON or in protobuf.
#pragma once

#include <string_view>
#include <vector>

#include "apiserver/store/store.hpp"

namespace dcm::simulation {

struct WatchPiece {
  std::string_view bytes;  // of the event, including its newline or length
  bool is_bookmark = false;
  apiserver::Revision revision = 0;  // of its object; 0: none
};

// Requires whole events, as the API server writes them. They point into `piece`.
std::vector<WatchPiece> events_of(std::string_view piece);

}  // namespace dcm::simulation
