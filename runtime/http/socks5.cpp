#include "runtime/http/socks5.hpp"

#include <array>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

namespace dcm::http {
namespace {

using runtime::fail;
using runtime::Reason;

constexpr std::size_t kTextMax = 255;  // lengths are one byte
constexpr char kVersion = 5;
constexpr char kAuthenticationVersion = 1;
constexpr char kNoAuthentication = 0;
constexpr char kUserAndPassword = 2;
constexpr char kConnect = 1;
constexpr char kIpv4 = 1;
constexpr char kName = 3;
constexpr char kIpv6 = 4;
constexpr std::size_t kPortBytes = 2;

std::string with_length(std::string_view text) {
  return static_cast<char>(text.size()) + std::string(text);
}

template <class Bytes>
std::string text_of(const Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

std::string encode_address(const std::string& host) {
  boost::system::error_code failed;
  const auto address = boost::asio::ip::make_address(host, failed);
  if (failed) return kName + with_length(host);
  return address.is_v4() ? kIpv4 + text_of(address.to_v4().to_bytes())
                         : kIpv6 + text_of(address.to_v6().to_bytes());
}

// RFC 1928, 6.
std::string_view describe_reply(unsigned char code) {
  static constexpr std::array<std::string_view, 9> kReplies = {"",
                                                               "general failure",
                                                               "not allowed by its rules",
                                                               "network unreachable",
                                                               "host unreachable",
                                                               "connection refused",
                                                               "TTL expired",
                                                               "command not supported",
                                                               "address type not supported"};
  return code < kReplies.size() ? kReplies[code] : "unknown failure";
}

std::unexpected<runtime::Error> malformed(std::string_view what) {
  return fail(Reason::malformed, fmt::format("it does not speak SOCKS 5: {}", what));
}

}  // namespace

bool is_socks5_user(const UrlUser& user) {
  return !user.name.empty() && user.name.size() <= kTextMax && user.password.size() <= kTextMax;
}

Socks5Handshake::Socks5Handshake(Endpoint target, std::optional<UrlUser> user)
    : target_(std::move(target)), user_(std::move(user)) {}

Result<std::string> Socks5Handshake::begin() {
  if (target_.host.empty() || target_.host.size() > kTextMax) {
    return fail(Reason::configuration, "SOCKS 5 carries host names of 1 to 255 bytes");
  }
  if (user_ && !is_socks5_user(*user_)) {
    return fail(Reason::configuration, "SOCKS 5 cannot carry this user name or password");
  }
  wait_for(State::method, 2);
  std::string methods(1, kNoAuthentication);
  if (user_) methods += kUserAndPassword;
  return kVersion + with_length(methods);
}

void Socks5Handshake::wait_for(State state, std::size_t bytes) {
  state_ = state;
  wanted_ = bytes;
  received_.clear();
}

Result<std::string> Socks5Handshake::take(std::string_view bytes) {
  received_ += bytes;
  if (wanted() > 0) return std::string();
  return advance(std::exchange(received_, {}));
}

Result<std::string> Socks5Handshake::advance(std::string_view message) {
  switch (state_) {
    case State::method:
      return choose(message);
    case State::authentication:
      return check_authentication(message);
    case State::reply:
      return check_reply(message);
    case State::length_of_name:
      wait_for(State::address, static_cast<unsigned char>(message[0]) + kPortBytes);
      break;
    case State::address:
      wanted_ = 0;
      break;
  }
  return std::string();
}

Result<std::string> Socks5Handshake::choose(std::string_view message) {
  if (message[0] != kVersion) return malformed("another version");
  if (message[1] == kNoAuthentication) return connect();
  if (message[1] != kUserAndPassword || !user_) {
    return fail(Reason::unreachable,
                user_ ? "it takes no user name and password" : "it wants credentials");
  }
  wait_for(State::authentication, 2);
  return kAuthenticationVersion + with_length(user_->name) + with_length(user_->password);
}

Result<std::string> Socks5Handshake::check_authentication(std::string_view message) {
  if (message[0] != kAuthenticationVersion) return malformed("another version of authentication");
  if (message[1] != 0) return fail(Reason::unreachable, "it refused the user name or password");
  return connect();
}

std::string Socks5Handshake::connect() {
  wait_for(State::reply, 4);
  std::string request = {kVersion, kConnect, '\0'};
  request += encode_address(target_.host);
  request += static_cast<char>(target_.port >> 8);
  request += static_cast<char>(target_.port & 0xff);
  return request;
}

// The address that the proxy connects from is not needed, but must be read.
Result<std::string> Socks5Handshake::check_reply(std::string_view message) {
  if (message[0] != kVersion) return malformed("another version");
  if (const auto code = static_cast<unsigned char>(message[1]); code != 0) {
    return fail(Reason::unreachable,
                fmt::format("it cannot connect: {} ({})", describe_reply(code), code));
  }
  if (message[2] != 0) return malformed("a reserved byte is set");
  if (message[3] == kIpv4) {
    wait_for(State::address, 4 + kPortBytes);
  } else if (message[3] == kIpv6) {
    wait_for(State::address, 16 + kPortBytes);
  } else if (message[3] == kName) {
    wait_for(State::length_of_name, 1);
  } else {
    return malformed("an unknown type of address");
  }
  return std::string();
}

}  // namespace dcm::http
