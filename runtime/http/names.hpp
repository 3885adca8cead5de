// Looks up the addresses of host names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "runtime/http/stream.hpp"
#include "runtime/time.hpp"

namespace dcm::http {

using Addresses = std::vector<boost::asio::ip::tcp::endpoint>;

// If a name server fails, or does not answer within half of the time that is left, the last known
// addresses of the name are used: without a new connection, a leader loses its lease. A look-up
// goes on after its caller has given up, so that the next call finds a slow answer. A name has one
// look-up at a time.
//
// Keeps each name for good: a program connects to few.
class Names {
 public:
  using Done = std::function<void(Result<Addresses>)>;
  // Calls `done` on the loop, once.
  using LookUp = std::function<void(const std::string& host, std::uint16_t port, Done done)>;

  // `time` must outlive it and its calls.
  Names(runtime::TimeSource& time, LookUp look_up) : time_(time), look_up_(std::move(look_up)) {}

  // Errors: unreachable, deadline_exceeded.
  Task<Result<Addresses>> find(std::string host, std::uint16_t port, Deadline deadline);

 private:
  struct Name;

  runtime::TimeSource& time_;
  LookUp look_up_;
  std::map<std::pair<std::string, std::uint16_t>, std::shared_ptr<Name>> names_;
};

}  // namespace dcm::http
