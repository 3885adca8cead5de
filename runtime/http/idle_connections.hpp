// A client's idle connections.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "runtime/http/read_buffer.hpp"
#include "runtime/http/stream.hpp"

namespace dcm::http {

// An open connection and bytes read ahead from it.
struct Connection {
  std::unique_ptr<Stream> stream;
  ReadBuffer buffer;
  std::uint64_t generation = 0;

  // Call this only while the connection is idle.
  void trim() noexcept {
    buffer.trim();
    stream->trim();
  }
};

// Last in, first out: so unneeded connections age, and are closed after `idle_max`.
class IdleConnections {
 public:
  // `time` must outlive this.
  IdleConnections(runtime::TimeSource& time, runtime::Duration idle_max)
      : time_(time), idle_max_(idle_max) {}
  ~IdleConnections() { close_all(); }
  IdleConnections(const IdleConnections&) = delete;
  IdleConnections& operator=(const IdleConnections&) = delete;

  // The most recently used connection that the server has not closed; null if none.
  std::unique_ptr<Connection> take();
  // Keeps the connection, unless close_all() was called since it was opened.
  void put(std::unique_ptr<Connection> connection);
  // Connections in use are closed when they are put back.
  void close_all();
  // The generation of connections that are opened from now on.
  std::uint64_t generation() const noexcept { return generation_; }

 private:
  struct Entry {
    std::unique_ptr<Connection> connection;
    runtime::MonoTime close_at;
  };

  void arm();
  void close_expired();

  runtime::TimeSource& time_;
  runtime::Duration idle_max_;
  std::deque<Entry> entries_;  // oldest first
  std::optional<runtime::TimerId> timer_;
  std::uint64_t generation_ = 0;
};

}  // namespace dcm::http
