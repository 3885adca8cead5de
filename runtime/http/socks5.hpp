// The client's side of SOCKS 5 (RFC 1928) with user name and password (RFC 1929), without I/O: what
// to send, and how many bytes to expect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/http/stream.hpp"
#include "runtime/http/url.hpp"

namespace dcm::http {

// Whether RFC 1929 can carry the user: a name of 1 to 255 bytes, a password of at most 255.
bool is_socks5_user(const UrlUser& user);

// Asks for a tunnel to `target`, whose name is resolved by the proxy. Call begin(), then take()
// with all received bytes until is_done(). Unusable after an error.
class Socks5Handshake {
 public:
  static constexpr std::size_t kWantedMax = 255 + 2;  // a name and a port

  Socks5Handshake(Endpoint target, std::optional<UrlUser> user);

  // The first bytes to send. Errors: configuration (SOCKS cannot carry the host name or the user).
  Result<std::string> begin();
  // Takes 1 to wanted() bytes; returns what to send now, possibly nothing. Errors: malformed,
  // unreachable (the proxy refuses, or cannot reach the target; the message says why).
  Result<std::string> take(std::string_view bytes);

  // At most this many bytes are part of the handshake; never 0 before is_done().
  std::size_t wanted() const { return wanted_ - received_.size(); }
  bool is_done() const { return wanted_ == 0; }

 private:
  enum class State : std::uint8_t { method, authentication, reply, length_of_name, address };

  void wait_for(State state, std::size_t bytes);
  Result<std::string> advance(std::string_view message);
  Result<std::string> choose(std::string_view message);
  Result<std::string> check_authentication(std::string_view message);
  Result<std::string> check_reply(std::string_view message);
  std::string connect();

  Endpoint target_;
  std::optional<UrlUser> user_;
  State state_ = State::method;
  std::size_t wanted_ = 0;
  std::string received_;  // the part of the expected message so far
};

}  // namespace dcm::http
