// An API server with more objects than fit into memory, for benchmarks of large clusters.
//
// The crowd: nodes with a slice of eight devices each, and for each device a running pod with an
// allocated claim. Its objects are generated whenever a watch asks for its initial events. All
// objects of a kind differ in digits only, so a server encodes one of them and the others are
// copies with other digits. When a request names one, it becomes an object of the server behind,
// which then does with it what it does with any other.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "apiserver/front/server.hpp"
#include "runtime/http/server.hpp"

namespace dcm::bench {

class CrowdKind;

inline constexpr std::size_t kDevicesPerNode = 8;
inline constexpr std::size_t kNodesMax = 1'000'000;

class Crowd {
 public:
  // Both references outlive it and its handler. `nodes` is at most kNodesMax.
  Crowd(apiserver::Server& server, runtime::TimeSource& time, std::size_t nodes);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  // Answers what `server` answers, and shows the crowd to watches of all namespaces that ask for
  // initial events. Lists do not show it.
  http::Handler handler();

 private:
  runtime::Task<> answer(http::Request request, http::Responder& responder);
  CrowdKind* kind_of(std::string_view resource) const;

  apiserver::Server& server_;
  http::Handler inner_;
  std::vector<std::unique_ptr<CrowdKind>> kinds_;
};

}  // namespace dcm::bench
