#include "client/config/pem.hpp"

#include <fmt/format.h>

#include "client/config/file.hpp"

namespace dcm::client {
namespace {

// Private keys come as PRIVATE KEY, RSA PRIVATE KEY, EC PRIVATE KEY, …; OpenSSL also accepts
// certificates as TRUSTED CERTIFICATE and X509 CERTIFICATE.
bool is_label_of(std::string_view label, PemKind kind) {
  return label.ends_with(kind == PemKind::certificate ? "CERTIFICATE" : "PRIVATE KEY");
}

}  // namespace

std::string_view to_string(PemKind kind) {
  return kind == PemKind::certificate ? "a certificate in PEM" : "a private key in PEM";
}

bool has_pem_block(std::string_view text, PemKind kind) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kDashes = "-----";
  for (auto begin = text.find(kBegin); begin != text.npos; begin = text.find(kBegin)) {
    text.remove_prefix(begin + kBegin.size());
    const std::string_view label = text.substr(0, text.find(kDashes));
    const std::string end = "-----END " + std::string(label) + "-----";
    if (is_label_of(label, kind) && text.find(end) != text.npos) return true;
  }
  return false;
}

runtime::Result<std::string> read_pem_file(const std::string& file, PemKind kind) {
  runtime::Result<std::string> text = read_regular_file(file);
  if (text && !has_pem_block(*text, kind)) {
    return runtime::fail(runtime::Reason::configuration,
                         fmt::format("{}: does not hold {}", file, to_string(kind)));
  }
  return text;
}

}  // namespace dcm::client
