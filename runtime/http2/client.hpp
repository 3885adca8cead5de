// An http::Client that speaks HTTP/2 if the server does, otherwise HTTP/1.1.
#pragma once

#include <memory>

#include "runtime/http/client.hpp"
#include "runtime/loop.hpp"

namespace dcm::http2 {

// The protocol for connections without TLS, on which the server cannot choose.
enum class Cleartext { http1, http2 };

class Client : public http::Client {
 public:
  // Moves the bytes of its connections until cancelled. Before and after that, requests use
  // HTTP/1.1. Must have ended when the client is destroyed.
  virtual runtime::Task<> run() = 0;
};

// All requests and watches share one connection; up to three more are opened when the server allows
// no more streams on it. `options` are those of http::make_client(), which creates the HTTP/1.1
// client inside this one. `transport` must outlive the client.
std::unique_ptr<Client> make_client(runtime::LoopRef loop, http::Transport& transport,
                                    http::ClientOptions options,
                                    Cleartext cleartext = Cleartext::http1);

}  // namespace dcm::http2
