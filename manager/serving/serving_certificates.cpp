#include "manager/serving/serving_certificates.hpp"

#include <array>
#include <optional>
#include <utility>

#include "client/config/pem.hpp"
#include "client/request/access_review.hpp"
#include "runtime/http/self_signed.hpp"
#include "runtime/http/tcp.hpp"

namespace dcm::manager {
namespace {

using client::PemKind;
using http::TlsServerOptions;
using runtime::fail;
using runtime::Result;
using runtime::Task;

}  // namespace

Result<ServingCertificates> ServingCertificates::load(CertificateSources sources,
                                                      http::TlsPolicy policy) {
  ServingCertificates made(std::move(sources));
  if (made.sources_.certificate_file.empty()) {
    Result<TlsServerOptions> self_signed =
        http::make_self_signed(made.sources_.program, http::host_name());
    if (!self_signed) return fail(self_signed.error());
    made.tls_ = std::move(*self_signed);
  }
  made.tls_.policy = std::move(policy);
  made.tls_.client_certificates = http::ClientCertificates::optional;
  if (Result<> read = made.read_files(); !read) return fail(read.error());
  return made;
}

Result<> ServingCertificates::read_files() {
  TlsServerOptions tls = tls_;
  const std::array wanted = {
      std::tuple(&sources_.certificate_file, PemKind::certificate, &tls.certificate_pem),
      std::tuple(&sources_.key_file, PemKind::private_key, &tls.key_pem),
      std::tuple(&sources_.client_ca_file, PemKind::certificate, &tls.client_ca_pem),
  };
  for (const auto& [file, kind, text] : wanted) {
    if (file->empty()) continue;
    Result<std::string> read = client::read_pem_file(*file, kind);
    if (!read) return fail(read.error());
    *text = std::move(*read);
  }
  tls_ = std::move(tls);
  return {};
}

Task<Result<>> ServingCertificates::refresh(client::RestClient& rest, runtime::Deadline deadline) {
  if (Result<> read = read_files(); !read) co_return read;
  if (!sources_.client_ca_file.empty()) co_return Result<>();
  Result<std::string> published = co_await client::read_published_client_ca(rest, deadline);
  if (!published) co_return fail(published.error());
  tls_.client_ca_pem = std::move(*published);
  co_return Result<>();
}

// A key and certificate that are read between their two writes do not match; the next read will.
Result<> renew_tls(http::TcpListener& listener, TlsServerOptions& in_use,
                   const TlsServerOptions& fresh) {
  Result<> whole = listener.set_tls(fresh);
  if (whole) {
    in_use = fresh;
    return whole;
  }
  TlsServerOptions previous_ca = fresh;
  previous_ca.client_ca_pem = in_use.client_ca_pem;
  TlsServerOptions previous_certificate = in_use;
  previous_certificate.client_ca_pem = fresh.client_ca_pem;
  for (TlsServerOptions& part : {std::ref(previous_ca), std::ref(previous_certificate)}) {
    if (part != in_use && listener.set_tls(part)) {
      in_use = std::move(part);
      break;
    }
  }
  return whole;
}

}  // namespace dcm::manager
