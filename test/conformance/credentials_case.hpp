// A case about the manager's identity and its connection: a server with TLS whatever the run's
// server speaks (in memory: a proxy with TLS in front of it), handwritten kubeconfigs, and plugins
// as scripts.
#pragma once

#include <memory>
#include <string>

#include "test/conformance/case.hpp"
#include "test/support/process.hpp"

namespace dcm::conformance {

class CredentialsCase : public Case {
 protected:
  void SetUp() override;

  // The server with TLS, with the permissions of manifests/base/rbac.yaml.
  const support::Access& secured() const { return secured_; }
  static bool is_real() { return run().server == ServerKind::real; }

  // Writes a kubeconfig; `cluster` and `user` are flow maps without braces, to which the server and
  // CA of secured() are added. Returns its path.
  std::string kubeconfig(const std::string& user, const std::string& cluster = {});
  std::string write(const std::string& name, const std::string& text);
  // A program for /bin/sh.
  std::string script(const std::string& name, const std::string& body);
  // The output of a plugin that provides this token.
  static std::string credential(const std::string& token, const std::string& more = {});

  // Starts a manager with these credentials and waits until it is ready.
  std::unique_ptr<Manager> start_ready(const std::string& kubeconfig, Names flags = {});
  // Starts a manager and waits until it is not ready for this reason. The process is alive then.
  std::unique_ptr<Manager> start_unready(const std::string& kubeconfig, const std::string& reason,
                                         Names flags = {});
  // Expects that the pod gets its claim.
  void expect_work(const std::string& pod);

  // A proxy for CONNECT at 127.0.0.1, which requires this Proxy-Authorization, if any. Returns
  // "host:port".
  std::string start_proxy(const std::string& authorization = {});
  std::string proxy_log() const;

 private:
  // The value after `key` in the first line of a program's output that begins with it.
  std::string await_line(const std::string& output, const std::string& key);

  support::Access secured_;
  std::unique_ptr<support::Process> front_;
  std::unique_ptr<support::Process> proxy_;
  std::string proxy_log_;
  int proxies_ = 0;
};

}  // namespace dcm::conformance
