#include "client/request/warnings.hpp"

namespace dcm::client {
namespace {

constexpr std::size_t kTextsMax = 256;
constexpr std::size_t kTextBytesMax = 1024;

}  // namespace

std::string warning_text(std::string_view field) {
  const std::size_t open = field.find('"');
  if (open == std::string_view::npos) return std::string(field.substr(0, kTextBytesMax));
  std::string text;
  for (std::size_t i = open + 1; i < field.size() && text.size() < kTextBytesMax; ++i) {
    if (field[i] == '"') break;
    if (field[i] == '\\' && i + 1 < field.size()) ++i;
    text += field[i];
  }
  return text;
}

void WarningLog::observe(const http::Headers& headers, const Redaction& redaction,
                         std::string_view secret) {
  for (const auto& [name, value] : headers) {
    if (!http::equals_without_case(name, "Warning")) continue;
    std::string text = redaction.apply(warning_text(redaction.apply(value, secret)), secret);
    if (seen_.contains(text)) continue;
    log_.warning("The API server warns", {{"warning", text}});
    if (seen_.size() >= kTextsMax) seen_.clear();
    seen_.insert(std::move(text));
  }
}

}  // namespace dcm::client
