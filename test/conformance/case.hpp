// What a conformance case has at hand: a namespace of its own, objects in one line each, and the
// real binary as a process.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "test/support/kube.hpp"
#include "test/support/process.hpp"

namespace dcm::conformance {

using support::Kube;
namespace json = boost::json;

// The manager as a process, with the permissions of manifests/base/rbac.yaml.
class Manager {
 public:
  // `name` is that of its log file. `kubeconfig` empty: that of the case's server.
  explicit Manager(const std::string& name, std::vector<std::string> flags = {},
                   std::string kubeconfig = {});

  // Waits until /readyz says ok.
  bool is_ready_soon();
  // SIGTERM, and its exit status; 128 + 9 where it had to be killed after 30 s.
  int stop();
  // SIGKILL: no chance to finish anything.
  void kill();
  std::optional<int> exit_status() { return process_->exit_status(); }

  // The text of a path of its status port, "" where there is no answer.
  std::string status_page(const std::string& path);
  // The value of a series, exactly as it is printed before the value; 0 where there is none.
  double metric(const std::string& series);
  std::string log() const;

 private:
  std::string log_file_;
  std::unique_ptr<support::Process> process_;
};

// How a pod names its claims.
struct PodSpec {
  std::string name;
  // {pod claim, template}
  std::vector<std::pair<std::string, std::string>> templates = {};
  // {pod claim, claim}
  std::vector<std::pair<std::string, std::string>> claims = {};
  std::string node = {};
};

class Case : public testing::Test {
 protected:
  Case();
  ~Case() override;

  Kube& kube() { return *kube_; }
  const std::string& ns() const { return namespace_; }
  // Starts the manager and waits until it is ready; fails the case otherwise.
  Manager& start_manager(std::vector<std::string> flags = {});
  Manager& manager() { return *manager_; }

  // Each returns the object as the server answered.
  json::value create_template(const std::string& name);
  json::value create_template(const std::string& name, const json::value& spec);
  json::value create_claim(const std::string& name);
  json::value create_pod(const PodSpec& spec);
  void set_phase(const std::string& pod, const std::string& phase);
  // Grace period 0: gone at once.
  void delete_pod(const std::string& pod);
  // What a scheduler does: finalizer, allocation, and reservations for these pods.
  void allocate(const std::string& claim, const std::vector<json::value>& pods);

  json::value get(const std::string& resource, const std::string& name);
  bool exists(const std::string& resource, const std::string& name);
  // Names of the claims in the namespace, sorted.
  std::vector<std::string> claim_names();
  // The claim that the pod's status names for a pod claim, or "".
  std::string claim_of(const std::string& pod, const std::string& pod_claim);
  // Waits for it.
  std::string wait_for_claim_of(const std::string& pod, const std::string& pod_claim);
  // The UIDs in a claim's reservedFor.
  std::vector<std::string> reserved_for(const std::string& claim);
  std::vector<json::value> events_of(const std::string& pod);
  // Whether `holds` comes true within 30 s; prints `what` and the manager's log where not.
  testing::AssertionResult soon(const std::string& what, const std::function<bool()>& holds);

  std::string path(const std::string& resource, const std::string& name = {}) const;

 private:
  std::unique_ptr<Kube> kube_;
  std::string namespace_;
  std::unique_ptr<Manager> manager_;
};

// Set by main() before the cases run.
void set_kubeconfig(const std::string& kubeconfig);
const std::string& kubeconfig();

}  // namespace dcm::conformance
