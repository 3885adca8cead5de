// The HTTPS port: callers are authenticated, changed certificates are reloaded, and no client can
// occupy more than its share (http::ServerOptions).
#pragma once

#include <memory>
#include <string>

#include "client/request/rest_client.hpp"
#include "manager/pages.hpp"
#include "manager/serving/doorkeeper.hpp"
#include "manager/serving/serving_certificates.hpp"
#include "runtime/http/tcp.hpp"

namespace dcm::manager {

struct SecureServingOptions {
  std::string address;  // "0.0.0.0:10257"
  CertificateSources certificates = {};
  http::TlsPolicy tls = {};
  DoorkeeperOptions access = {};
};

class SecureServing {
 public:
  // Listens, so that a taken port is detected at once; answers nothing yet. Errors: configuration:
  // address, certificate or key.
  static runtime::Result<std::unique_ptr<SecureServing>> open(runtime::Executor executor,
                                                              runtime::TimeSource& time,
                                                              SecureServingOptions options);

  std::string address() const { return listener_->address(); }

  // Answers from `pages` until cancelled. Both references must outlive it.
  runtime::Task<> run(const Pages& pages, client::RestClient& rest, runtime::Logger log);

 private:
  SecureServing(runtime::Executor executor, runtime::TimeSource& time, DoorkeeperOptions access,
                ServingCertificates certificates, std::unique_ptr<http::TcpListener> listener);

  runtime::Task<> keep_certificates_fresh(client::RestClient& rest, runtime::Logger log);

  runtime::Executor executor_;
  runtime::TimeSource& time_;
  DoorkeeperOptions access_;
  ServingCertificates certificates_;
  std::unique_ptr<http::TcpListener> listener_;
};

// Answers from `pages` what `doorkeeper` admits. Both must outlive the handler.
http::Handler make_guarded_handler(const Pages& pages, Doorkeeper& doorkeeper);

}  // namespace dcm::manager
