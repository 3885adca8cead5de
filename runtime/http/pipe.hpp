// A network in memory: a Transport and the Listeners it reaches, for tests and simulations.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "runtime/http/stream.hpp"

namespace dcm::http {

// Connects by "host:port" to the current listener there, otherwise fails as `unreachable`. Each
// direction of a pipe buffers at most `buffer_bytes`; a writer waits for room. Must outlive its
// streams and listeners.
class PipeNetwork final : public Transport {
 public:
  explicit PipeNetwork(runtime::TimeSource& time, std::size_t buffer_bytes = 64 * 1024);
  ~PipeNetwork() override;

  Task<Result<std::unique_ptr<Stream>>> connect(Endpoint endpoint, Deadline deadline) override;

  // Listens at `host:port` until the listener is destroyed. One listener per address.
  std::unique_ptr<Listener> listen(std::string host, std::uint16_t port);
  // Cuts every open pipe: both sides get `disconnected`.
  void cut_all();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dcm::http
