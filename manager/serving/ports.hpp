// Both ports of a process with their pages: the secured one for a cluster, the plain one for a
// developer's machine or a sidecar.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "manager/pages.hpp"
#include "manager/process.hpp"
#include "manager/serving/secure_serving.hpp"

namespace dcm::manager {

struct ServingOptions {
  std::string metrics_bind_address = {};               // of the plain port; empty: no such port
  std::vector<std::string> metrics_accept_hosts = {};  // accepted host names (http::OpenPort)
  std::string bind_address = "0.0.0.0";
  int secure_port = 0;  // 0: not served
  CertificateSources serving_certificates = {};
  http::TlsPolicy serving_tls = {};
  std::vector<std::string> always_allow_paths = DoorkeeperOptions().always_allow_paths;
};

class Ports {
 public:
  using ObjectOf = decltype(DoorkeeperOptions::object_of);

  // Listens as configured in `options`, so that a taken port is detected at once; answers nothing
  // yet. Both ports have health checks and metrics. `process` and `health` must outlive it. Errors:
  // configuration: address, certificate or key.
  static runtime::Result<std::unique_ptr<Ports>> open(const Process& process, const Health& health,
                                                      const ServingOptions& options,
                                                      ObjectOf object_of = {});

  // Add pages for the secured port only here, before run().
  Pages& secured_pages() { return secured_pages_; }

  // Answers until cancelled. Callers of the secured port are reviewed through `rest`.
  runtime::Task<> run(client::RestClient& rest);

 private:
  Ports(const Process& process, const Health& health, std::vector<std::string> accept_hosts);
  runtime::Result<> listen(const ServingOptions& options, ObjectOf object_of);

  const Process& process_;
  std::vector<std::string> metrics_accept_hosts_;
  Pages plain_pages_;
  Pages secured_pages_;
  // Null if not requested.
  std::unique_ptr<http::TcpListener> plain_;
  std::unique_ptr<SecureServing> secured_;
};

}  // namespace dcm::manager
