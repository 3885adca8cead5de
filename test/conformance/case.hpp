// The tools of a conformance case: its own namespace, objects on one line each, the manager as a
// process, and a proxy that disturbs the traffic between manager and server.
//
// Cases run sequentially, as a manager works on all namespaces; several runs, each with its own API
// server, can run in parallel (GTEST_TOTAL_SHARDS). A case cleans up its namespace, so that the
// next one's manager finds nothing there.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "test/conformance/manager.hpp"
#include "test/conformance/run.hpp"
#include "test/conformance/server.hpp"
#include "test/support/faults.hpp"
#include "test/support/kube.hpp"
#include "test/support/skewed_clock.hpp"

namespace dcm::conformance {

using support::at;
using support::FaultKind;
using support::Faults;
using support::Kube;
using support::text_at;
using Release = support::FaultProxy::Release;
using Names = std::vector<std::string>;
namespace json = boost::json;

// How a pod names its claims.
struct PodSpec {
  std::string name;
  // {pod claim, template}
  std::vector<std::pair<std::string, std::string>> templates = {};
  // {pod claim, claim}
  std::vector<std::pair<std::string, std::string>> claims = {};
  std::string node = {};
  // To keep it in the API during its deletion.
  Names finalizers = {};
  // Its container requests one unit of this resource.
  std::string extended_resource = {};
  std::string group = {};  // spec.schedulingGroup
};

// An entry of reservedFor.
struct Reservation {
  std::string name;
  std::string uid;
  std::string resource = "pods";
  std::string api_group = {};
};
Reservation reservation_of(const json::value& pod);
json::array to_json(const std::vector<Reservation>& reservations);
// The UIDs of pods, sorted.
Names uids(const std::vector<json::value>& pods);

class Case : public testing::Test {
 protected:
  Case();
  ~Case() override;

  // States in one sentence what kube-controller-manager does instead: with it, the case may fail.
  // The comparison of both consists of these sentences.
  void reference(const std::string& sentence);

  Kube& kube() { return *kube_; }
  const std::string& ns() const { return namespace_; }
  // The proxy: managers started after the first call connect through it.
  Faults& faults();
  // The clocks of managers started after the first call; only for our manager.
  support::SkewedClock& clock();
  // Starts a manager and waits until it is ready; otherwise fails the case. An earlier one is
  // killed.
  Manager& start_manager(std::vector<std::string> flags = {});
  Manager& manager() { return *manager_; }
  // Starts another manager beside it.
  std::unique_ptr<Manager> another_manager(std::vector<std::string> flags = {});
  std::unique_ptr<Manager> another_manager(const std::string& kubeconfig,
                                           std::vector<std::string> flags);

  // The API server itself. While it is down, nothing can be requested from it.
  void halt_server(ApiServer::Ending ending);
  void resume_server();
  void compact_history() { run().api_server->compact(); }
  // Grants the manager's account what a component of the manifests needs, such as "pod-groups"; in
  // effect on return.
  void grant(const std::string& component);
  // The version of a kind that the server's discovery offers first, "" where there is none.
  std::string served_version(const std::string& group, const std::string& resource);

  // Each returns the object from the server's answer.
  json::value create_template(const std::string& name);
  json::value create_template(const std::string& name, const json::value& spec);
  json::value create_claim(const std::string& name);
  json::value create_pod(const PodSpec& spec);
  // `count` pods named pod-0… with one pod claim "accel" from a template, created at once.
  void create_pods(int count, const std::string& from_template);
  void set_phase(const std::string& pod, const std::string& phase);
  // Grace period 0: deleted immediately.
  void delete_pod(const std::string& pod);
  // With its own grace period: it stays with a deletionTimestamp.
  void begin_to_delete_pod(const std::string& pod);
  void set_claim_status(const std::string& claim, const json::value& status);
  // Acts as a scheduler: finalizer, allocation, and these reservations.
  void allocate(const std::string& claim, const std::vector<Reservation>& reservations = {});
  void reserve(const std::string& claim, const std::vector<Reservation>& reservations);
  void set_finalizers(const std::string& claim, const Names& finalizers);
  // Turns a claim into a generated one: owner and annotation.
  void own(const std::string& claim, const json::value& pod, const std::string& pod_claim);

  json::value get(const std::string& resource, const std::string& name);
  bool exists(const std::string& resource, const std::string& name);
  // Names of the claims in the namespace, sorted; without those of settle(), which the reference
  // may recreate.
  Names claim_names();
  // The UID of the claim of that name, "" if there is none.
  std::string uid_of_claim(const std::string& claim);
  // The claim that the pod's status names for a pod claim, or "".
  std::string claim_of(const std::string& pod, const std::string& pod_claim);
  // Waits for it.
  std::string wait_for_claim_of(const std::string& pod, const std::string& pod_claim);
  // Whether every pod of the namespace names a claim that exists and that it owns.
  bool every_pod_has_its_claim();
  // The UIDs in a claim's reservedFor, sorted.
  Names reserved_for(const std::string& claim);
  bool is_allocated(const std::string& claim);
  Names finalizers_of(const std::string& claim);
  // Whether it has no reservation, no allocation and no finalizer.
  bool is_free(const std::string& claim);
  std::vector<json::value> events_of(const std::string& pod);
  // Whether a Warning on the pod has this reason and contains this text.
  bool has_warning(const std::string& pod, const std::string& reason, const std::string& text);

  // Whether `holds` becomes true within 30 s, or patience(…). After a refusal or an outage 30 s may
  // be too short: a doubled back-off lasts as long again.
  void patience(std::chrono::seconds limit = std::chrono::seconds(90)) { patience_ = limit; }
  testing::AssertionResult soon(const std::string& what, const std::function<bool()>& holds);
  // RBAC learns of roles and bindings a moment after they are written. `attributes` are the
  // resourceAttributes of a SelfSubjectAccessReview.
  static bool may(const support::Access& access, const json::object& attributes);
  testing::AssertionResult may_soon(const support::Access& access, const json::object& attributes);
  // Waits until the manager has seen everything so far and has nothing left to do except later
  // retries.
  void settle();
  // Write requests of this namespace (except Events), as seen by the proxy.
  std::vector<support::FaultProxy::Record> writes();

  // The path of a resource of the namespace.
  std::string path(const std::string& resource, const std::string& name = {}) const;
  // A file in this case's folder.
  std::string file(const std::string& name) const { return dir_ + "/" + name; }

 private:
  void leave_evidence();
  void clean_up();

  std::string dir_;
  std::unique_ptr<Kube> kube_;
  std::string namespace_;
  std::unique_ptr<Faults> faults_;
  std::unique_ptr<support::SkewedClock> clock_;
  std::unique_ptr<Manager> manager_;
  int managers_ = 0;
  int settled_ = 0;
  bool differs_ = false;
  bool is_server_halted_ = false;
  std::chrono::seconds patience_{30};
};

// Requests of one namespace by purpose: regular expressions for the proxy. A method with two names
// is a patch for ours and a PUT for the reference.
inline constexpr const char* kWrite = "PATCH|PUT";
inline constexpr const char* kClaims = "/resourceclaims(\\?|$)";
inline constexpr const char* kClaim = "/resourceclaims/[^/?]+(\\?|$)";
inline constexpr const char* kClaimStatus = "/resourceclaims/[^/?]+/status";
inline constexpr const char* kPodStatus = "/pods/[^/?]+/status";

}  // namespace dcm::conformance
