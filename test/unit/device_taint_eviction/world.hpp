// A small cluster for the tests: objects by name, each change reported to a tracker, and taints and
// tolerations given by one word.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "controllers/device_taint_eviction/tracker.hpp"
#include "test/support/objects.hpp"

namespace dcm::device_taint_eviction {

using namespace std::chrono_literals;
using std::chrono::seconds;

// Where every test's clock starts; taints are added a number of seconds after it.
inline constexpr WallTime kStart = std::chrono::sys_days(2027y / 3 / 1) + 9h;
constexpr WallTime at(seconds offset) {
  return kStart + offset;
}

inline api::DeviceTaint no_execute(const std::string& key, seconds added = 0s,
                                   const std::string& value = "") {
  return {key, value, api::TaintEffect::no_execute, at(added), 0};
}
inline api::DeviceTaint with_effect(api::TaintEffect effect) {
  return {"burnt", "", effect, at(0s), 0};
}
inline api::DeviceToleration exists(const std::string& key, std::optional<seconds> duration = {}) {
  return {key, api::TolerationOperator::exists, "", duration};
}
inline api::DeviceToleration equals(const std::string& key, const std::string& value,
                                    std::optional<seconds> duration = {}) {
  return {key, api::TolerationOperator::equal, value, duration};
}

// A pod on a node that uses the claim named after it with the suffix "-claim".
inline test::PodBuilder user_of_claim(const std::string& pod) {
  return test::make_pod(pod).uses("gpus", pod + "-claim").on_node("node");
}
// The pod's claim, reserved for it.
inline test::ClaimBuilder claim_of(const std::string& pod) {
  return test::make_claim(pod + "-claim").reserved_for(pod);
}

class World : public Lookup {
 public:
  PodPtr find_pod(const api::NamespacedName& key) const override {
    ++pods_looked_up;
    return get(pods, key);
  }
  ClaimPtr find_claim(const api::NamespacedName& key) const override {
    ++claims_looked_up;
    return get(claims, key);
  }
  common::GroupClaims group_claims() const override { return groups; }
  std::vector<PodPtr> pods_of_group(const api::NamespacedName& group) const override {
    std::vector<PodPtr> members;
    for (const auto& [key, pod] : pods) {
      if (common::group_of(*pod) == group) members.push_back(pod);
    }
    return members;
  }

  void put(const PodPtr& pod) { tracker.observe_pod(replace(pods, pod), pod); }
  void put(const ClaimPtr& claim) { tracker.observe_claim(replace(claims, claim), claim); }
  void put(const SlicePtr& slice) { tracker.observe_slice(replace(slices, slice), slice); }
  void put(const RulePtr& rule) { tracker.observe_rule(replace(rules, rule), rule); }
  void put(const auto& builder) { put(builder.get()); }

  void erase_pod(const std::string& name) {
    if (const PodPtr gone = take(pods, {test::kNamespace, name})) tracker.observe_pod(gone, {});
  }
  void erase_claim(const std::string& name) {
    const ClaimPtr gone = take(claims, {test::kNamespace, name});
    if (gone) tracker.observe_claim(gone, {});
  }
  void erase_slice(const std::string& name) {
    if (const SlicePtr gone = take(slices, {{}, name})) tracker.observe_slice(gone, {});
  }
  void erase_rule(const std::string& name) {
    if (const RulePtr gone = take(rules, {{}, name})) tracker.observe_rule(gone, {});
  }

  void start() {
    tracker.start();
    settle();
  }
  void settle(std::size_t slice = 1000) {
    while (tracker.has_work()) tracker.advance(slice);
  }

  // "p 0s, q 30s": the pending pods, and when they are due.
  std::string pending() const {
    std::string text;
    for (const auto& [key, pod] : pods) {
      const PendingPod* found = pending_pods.find(pod->meta.uid);
      if (found == nullptr) continue;
      const auto after = std::chrono::duration_cast<seconds>(found->due - kStart).count();
      text += (text.empty() ? "" : ", ") + key.name + " " + std::to_string(after) + "s";
    }
    return text;
  }
  // "p, q": the pods released since the last call.
  std::string cancelled() {
    std::string text;
    for (const Released& released : tracker.take_released()) {
      if (released.why != Released::Why::may_stay) continue;
      text += (text.empty() ? "" : ", ") + released.pod.key.name;
    }
    return text;
  }
  RuleCounts counts(const std::string& rule) const {
    const Rule* found = tracker.rules().find(rule);
    return found == nullptr ? RuleCounts{} : found->counts();
  }

  template <class T>
  using Objects = std::map<api::NamespacedName, api::ObjectPtr<T>>;
  Objects<api::Pod> pods;
  Objects<api::ResourceClaim> claims;
  Objects<api::ResourceSlice> slices;
  Objects<api::DeviceTaintRule> rules;
  common::GroupClaims groups = common::GroupClaims::refused;
  mutable std::size_t claims_looked_up = 0;
  mutable std::size_t pods_looked_up = 0;
  TaintRules taint_rules;
  PendingPods pending_pods{taint_rules};
  Tracker tracker{*this, taint_rules, pending_pods};

 private:
  template <class T>
  static api::ObjectPtr<T> get(const Objects<T>& objects, const api::NamespacedName& key) {
    const auto found = objects.find(key);
    return found == objects.end() ? nullptr : found->second;
  }
  // Returns the previous state.
  template <class T>
  static api::ObjectPtr<T> replace(Objects<T>& objects, const api::ObjectPtr<T>& object) {
    return std::exchange(objects[object->meta.key], object);
  }
  template <class T>
  static api::ObjectPtr<T> take(Objects<T>& objects, const api::NamespacedName& key) {
    auto node = objects.extract(key);
    return node.empty() ? nullptr : node.mapped();
  }
};

}  // namespace dcm::device_taint_eviction
