// Further tools for the cases about device taints: pods with devices, slices and rules of the
// case's own driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "test/conformance/case.hpp"

namespace dcm::conformance {

// A toleration of taints with effect NoExecute, as in an allocation result; without seconds:
// forever.
json::value tolerates(const std::string& key, std::optional<std::int64_t> seconds = {});

// An allocated device.
struct Device {
  std::string pool = "node-a";
  std::string name = "gpu-0";
  json::array tolerations = {};
  std::string driver = {};  // empty: the case's
};

// A taint; the time defaults to now.
json::value taint(const std::string& key, const std::string& effect = "NoExecute");

// A slice with one device.
struct SliceSpec {
  std::string pool = "node-a";
  int generation = 1;
  std::string device = "gpu-0";
  json::array taints = {};
  int slices_in_pool = 1;
  std::string driver = {};  // empty: the case's
};

class EvictionCase : public Case {
 protected:
  EvictionCase();
  ~EvictionCase() override;

  // Skips the rest of the case, because this server does not support it: older ones serve rules in
  // other versions, without a status or not at all, and may drop the taints of slices.
  [[noreturn]] static void skip(const std::string& why);
  // "resource.k8s.io/v1", or the served version.
  const std::string& rule_api() const { return rule_api_; }

  const std::string& driver() const { return driver_; }
  // With both controllers, unless the flags select one.
  Manager& start_manager(std::vector<std::string> flags = {});

  // A pod on a node that uses devices, by a claim of the same name reserved for it.
  json::value create_user(const std::string& pod, const std::vector<Device>& devices = {Device{}},
                          const Names& finalizers = {});
  // `count` such pods, pod-0…, on gpu-0 of one pool, all at once.
  void create_users(int count, const std::string& pool = "node-a");
  // Writes an allocation, as a scheduler does.
  void allocate_devices(const std::string& claim, const std::vector<Device>& devices,
                        const std::vector<Reservation>& reservations);

  // Slices and rules are cluster-scoped: their names begin with the case's namespace.
  void publish(const std::string& name, const SliceSpec& slice);
  // Another state of a slice; everything except the pool's name may change.
  void publish_again(const std::string& name, const SliceSpec& slice);
  void withdraw(const std::string& name);
  // A slice as a server would send it.
  json::value slice_object(const std::string& name, const SliceSpec& slice) const;
  // If `selector` names no driver, the case's is added.
  void create_rule(const std::string& name, const std::string& effect = "NoExecute",
                   json::object selector = {});
  void change_rule(const std::string& name, const json::value& spec);
  void delete_rule(const std::string& name);
  std::string slice_path(const std::string& name = {}) const;
  std::string rule_path(const std::string& name = {}) const;

  // Whether the API server has accepted its deletion.
  bool is_going(const std::string& pod);
  testing::AssertionResult goes_soon(const std::string& pod);
  // How many pods of the namespace are not in deletion.
  std::size_t staying();
  // Whether at most that many pods are left in the end; waits as long as their number decreases.
  testing::AssertionResult all_go_but(std::size_t wanted);
  // The pod's condition DisruptionTarget, or null.
  json::value disruption_of(const std::string& pod);
  // Messages of the eviction's events about a pod, in alphabetical order.
  Names eviction_events(const std::string& pod);
  bool has_event(const std::string& pod, const std::string& message);
  // "False NotStarted: ", or "" if there is none.
  std::string condition_of(const std::string& rule);
  testing::AssertionResult says_soon(const std::string& rule, const std::string& condition);
  // The writes of a rule's condition, as seen by the proxy.
  std::vector<support::FaultProxy::Record> condition_writes(const std::string& rule);

  // settle() for evictions: later slices, rules, claims and pods have been seen, and due work is
  // done.
  void settle_evictions();
  // Evictions counted by our manager since its start, without those of settle_evictions().
  int counted();

 private:
  std::string cluster_name(const std::string& name) const { return ns() + "-" + name; }

  std::string rule_collection() const;
  json::value post_taint(const std::string& collection, const json::value& object);
  void settle_rules(const std::string& name, const std::string& driver);

  std::string rule_api_;
  bool has_rule_status_ = false;
  std::string driver_ = ns() + ".example.com";
  int settled_ = 0;
  int settled_with_this_ = 0;  // manager
};

inline constexpr const char* kPod = "/pods/[^/?]+(\\?|$)";
inline constexpr const char* kMarking = "Marking for deletion";
inline constexpr const char* kCancelling = "Cancelling deletion";

}  // namespace dcm::conformance
