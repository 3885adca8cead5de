// The secured port's certificate and trusted CAs, read from their sources repeatedly: certificates
// and CAs are rotated while the process runs.
#pragma once

#include <string>

#include "client/request/rest_client.hpp"
#include "runtime/http/tcp.hpp"

namespace dcm::manager {

struct CertificateSources {
  std::string certificate_file = {};  // with key_file: PEM; both empty: self-signed at the start
  std::string key_file = {};
  // CAs of the clients' certificates. Empty: those that the cluster publishes for this purpose, in
  // ConfigMap extension-apiserver-authentication of kube-system.
  std::string client_ca_file = {};
  std::string program = "manager";  // the name in a self-signed certificate
};

class ServingCertificates {
 public:
  // Reads the files, or creates a fresh self-signed certificate. Errors: configuration, naming the
  // file.
  static runtime::Result<ServingCertificates> load(CertificateSources sources,
                                                   http::TlsPolicy policy = {});

  const http::TlsServerOptions& tls() const { return tls_; }

  // Reads the files again, and the clients' CAs from the cluster if no file has them. An unreadable
  // part stays unchanged. Errors: configuration, naming the file; as for RestClient::send.
  runtime::Task<runtime::Result<>> refresh(client::RestClient& rest, runtime::Deadline deadline);

 private:
  explicit ServingCertificates(CertificateSources sources) : sources_(std::move(sources)) {}
  runtime::Result<> read_files();

  CertificateSources sources_;
  http::TlsServerOptions tls_;
};

// Makes `listener` use `fresh` instead of `in_use`. The port's certificate and the clients' CAs
// have different authors: if one of them cannot be used, its previous value is kept, and the other
// is still renewed. `in_use` becomes what the listener uses now. Errors: as for
// TcpListener::set_tls.
runtime::Result<> renew_tls(http::TcpListener& listener, http::TlsServerOptions& in_use,
                            const http::TlsServerOptions& fresh);

}  // namespace dcm::manager
