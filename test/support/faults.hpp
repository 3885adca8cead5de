// A test's side of the fault proxy: starts dcm-fault-proxy in front of a server, and drives it.
//
//   Faults faults(access, "/tmp/here/proxy");
//   const auto rule = faults.add({.method = "POST", .target = "/resourceclaims$",
//                                 .fault = {.kind = FaultKind::drop_answer}});
//   … a manager with faults.kubeconfig() …
//   eventually([&] { return faults.matched(rule) == 1; });
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "test/support/access.hpp"
#include "test/support/blocking_client.hpp"
#include "test/support/fault_proxy.hpp"
#include "test/support/process.hpp"

namespace dcm::support {

class Faults {
 public:
  // Its log, kubeconfig and CA are the files `<prefix>.log` and so on. It speaks TLS if the server
  // does. Throws std::runtime_error if the proxy does not start.
  Faults(const Access& server, const std::string& prefix);

  // Access through the proxy, with the server's credentials.
  const std::string& kubeconfig() const { return kubeconfig_; }
  std::string log() const;

  std::size_t add(const Rule& rule);
  void clear();
  // How many requests it has skipped or spoiled: no more than its `skip` and `times` together.
  std::size_t matched(std::size_t rule) { return state(rule).matched; }
  std::size_t held(std::size_t rule) { return state(rule).held; }
  void release(std::size_t rule, FaultProxy::Release how);

  // These apply to open watches whose target matches; each returns their number.
  std::size_t cut_watches(const std::string& target) { return to_watches(target, "cut"); }
  std::size_t stall_watches(const std::string& target) { return to_watches(target, "stall"); }
  std::size_t resume_watches(const std::string& target) { return to_watches(target, "resume"); }
  std::size_t inject(const std::string& target, const std::string& event) {
    return to_watches(target, "inject", event);
  }

  std::vector<FaultProxy::Record> requests();
  // How many requests matched that method and target (a regular expression).
  std::size_t count(std::string_view method, const std::string& target);

 private:
  FaultProxy::RuleState state(std::size_t rule);
  std::size_t to_watches(const std::string& target, const char* act, const std::string& event = {});
  boost::json::value control(http::Method method, const std::string& path,
                             const boost::json::value& body = nullptr);
  std::string await_line(const std::string& key);

  std::string output_;
  std::string kubeconfig_;
  Process process_;
  std::unique_ptr<BlockingClient> control_;
};

}  // namespace dcm::support
