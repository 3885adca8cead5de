#include "client/request/redaction.hpp"

#include <utility>

namespace dcm::client {
namespace {

constexpr std::string_view kShown = "(redacted)";
// A shorter text is not a token, but may be a common word.
constexpr std::size_t kSecretBytesMin = 8;

void remove(std::string_view secret, std::string& text) {
  if (secret.size() < kSecretBytesMin) return;
  for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    text.replace(at, secret.size(), kShown);
  }
}

}  // namespace

void Redaction::use(std::string_view authorization) {
  const std::string_view secret = authorization.substr(authorization.find(' ') + 1);
  if (secret.size() < kSecretBytesMin || secret == secrets_[0]) return;
  secrets_[1] = std::exchange(secrets_[0], std::string(secret));
}

std::string Redaction::apply(std::string text, std::string_view secret) const {
  for (const std::string& own : secrets_) remove(own, text);
  remove(secret, text);
  return text;
}

}  // namespace dcm::client
