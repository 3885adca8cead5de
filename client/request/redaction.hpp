// Removes credentials from text written by others: our own, and a caller's that a request carries.
//
// A server or proxy may repeat what it was sent, and its answer gets into the log, into events that
// tenants read, and onto pages. So all text of an answer is filtered here before it is shown.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace dcm::client {

class Redaction {
 public:
  // The `Authorization` of a request that is sent now; empty if none. The previous one is
  // remembered as well: the answer to its request may still arrive.
  void use(std::string_view authorization);

  // The text without these credentials, and without `secret`, which the request carried; empty if
  // none.
  std::string apply(std::string text, std::string_view secret = {}) const;

 private:
  std::array<std::string, 2> secrets_;  // the part after the scheme; the current one first
};

}  // namespace dcm::client
