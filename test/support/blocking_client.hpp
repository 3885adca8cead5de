// HTTP for tests that wait for each answer: a client with its own loop.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "runtime/http/client.hpp"
#include "runtime/http/tcp.hpp"
#include "runtime/http/url.hpp"
#include "runtime/loop.hpp"

namespace dcm::support {

class BlockingClient {
 public:
  // Throws std::runtime_error if URL or CA are invalid.
  explicit BlockingClient(const std::string& url, const std::string& ca_pem = {});

  http::Result<http::Response> send(http::Request request);
  // For concurrent requests: a task on loop() that calls exchange().
  runtime::Task<http::Result<http::Response>> exchange(http::Request request);
  runtime::Loop& loop() { return loop_; }

 private:
  runtime::Loop loop_;
  http::ServerUrl url_;
  std::unique_ptr<http::TcpTransport> transport_;
  std::unique_ptr<http::Client> client_;
};

// Polls until `holds` returns true, or `limit` has passed; returns whether it did. Checks at once,
// then every `interval`.
bool eventually(const std::function<bool()>& holds,
                std::chrono::milliseconds limit = std::chrono::seconds(30),
                std::chrono::milliseconds interval = std::chrono::milliseconds(10));

}  // namespace dcm::support
