#include "client/config/tls_files.hpp"

#include <string>
#include <utility>

#include <sys/stat.h>

#include "client/config/pem.hpp"

namespace dcm::client {
namespace {

using runtime::fail;
using runtime::Result;

Result<std::string> read_pem(const PemSource& source, PemKind kind) {
  if (source.file.empty()) return source.data;
  return read_pem_file(source.file, kind);
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Result<http::TlsClientOptions> read_tls_options(const ClusterConfig& config) {
  auto ca = read_pem(config.ca, PemKind::certificate);
  if (!ca) return fail(std::move(ca.error()));
  auto certificate = read_pem(config.client_certificate, PemKind::certificate);
  if (!certificate) return fail(std::move(certificate.error()));
  auto key = read_pem(config.client_key, PemKind::private_key);
  if (!key) return fail(std::move(key.error()));
  return http::TlsClientOptions{.ca_pem = std::move(*ca),
                                .certificate_pem = std::move(*certificate),
                                .key_pem = std::move(*key),
                                .server_name = config.tls_server_name,
                                .verification = config.verification};
}

TlsFiles::TlsFiles(ClusterConfig config) : config_(std::move(config)) {}

TlsFiles::Fingerprint TlsFiles::fingerprint_of(const std::string& file) {
  struct stat status{};
  if (file.empty() || ::stat(file.c_str(), &status) != 0) return {};
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = status.st_size,
          .modified_ns = nanoseconds(status.st_mtim),
          .changed_ns = nanoseconds(status.st_ctim)};
}

TlsFiles::Fingerprints TlsFiles::fingerprints() const {
  return {fingerprint_of(config_.ca.file), fingerprint_of(config_.client_certificate.file),
          fingerprint_of(config_.client_key.file)};
}

Result<std::optional<http::TlsClientOptions>> TlsFiles::read_if_changed() {
  const Fingerprints now = fingerprints();
  if (read_ == now) return std::nullopt;
  auto options = read_tls_options(config_);
  if (!options) return fail(std::move(options.error()));
  read_ = now;
  return std::move(*options);
}

}  // namespace dcm::client
