// An http::Client that speaks HTTP/2 where the server does, and HTTP/1.1 where not.
#pragma once

#include <memory>

#include "runtime/http/client.hpp"
#include "runtime/loop.hpp"

namespace dcm::http2 {

// The protocol where no TLS lets the server choose.
enum class Cleartext { http1, http2 };

class Client : public http::Client {
 public:
  // Moves the bytes of its connections until it is cancelled. Before and after that, requests go by
  // HTTP/1.1. Must have ended when the client is destroyed.
  virtual runtime::Task<> run() = 0;
};

// All requests and watches share one connection, of which there are up to four when the server lets
// one carry no more. `options` mean what they do for http::make_client(), which makes the client
// for HTTP/1.1 within this one. `transport` must outlive the client.
std::unique_ptr<Client> make_client(runtime::LoopRef loop, http::Transport& transport,
                                    http::ClientOptions options,
                                    Cleartext cleartext = Cleartext::http1);

}  // namespace dcm::http2
