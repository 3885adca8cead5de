// Keeps our own credential out of text that others have written.
//
// A server or proxy may answer with what it was sent: its text gets into the log, into events that
// tenants read, and into pages. So whatever is shown of an answer goes through here first.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace dcm::client {

class Redaction {
 public:
  // The `Authorization` of a request that is sent now; empty: none. The one before is remembered,
  // too: its answer may come yet.
  void use(std::string_view authorization);

  // The text without those.
  std::string apply(std::string text) const;

 private:
  std::array<std::string, 2> secrets_;  // what follows the scheme; the one in use first
};

}  // namespace dcm::client
