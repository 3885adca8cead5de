// The API server's `Warning` header fields (RFC 7234 5.5, KEP-1693): deprecated versions, fields
// that were dropped.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "client/request/redaction.hpp"
#include "runtime/http/message.hpp"
#include "runtime/log.hpp"

namespace dcm::client {

// Logs each text once. Remembers a bounded number of texts; after many others, a repeated text is
// logged again.
class WarningLog {
 public:
  explicit WarningLog(runtime::Logger log) : log_(std::move(log)) {}

  // `secret`: as for Redaction.
  void observe(const http::Headers& headers, const Redaction& redaction,
               std::string_view secret = {});
  std::size_t remembered() const noexcept { return seen_.size(); }

 private:
  runtime::Logger log_;
  std::set<std::string, std::less<>> seen_;
};

// The text of `299 - "text"`, unquoted; the whole field if it has another form.
std::string warning_text(std::string_view field);

}  // namespace dcm::client
