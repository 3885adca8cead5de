// A minimal in-memory API server for eviction, with faults on demand: it checks UIDs, keeps pods
// until their kubelet is done with them, honours budgets in the Eviction API, and notifies a watch
// of every change.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <variant>

#include "controllers/device_taint_eviction/api/api.hpp"
#include "controllers/device_taint_eviction/state/lookup.hpp"
#include "controllers/device_taint_eviction/state/published_devices.hpp"
#include "test/support/fake_calls.hpp"

namespace dcm::device_taint_eviction {

using test::Fault;
using test::lost;
using test::refused;

class FakeEvictionApi final : public EvictionApi, public test::FakeCalls {
 public:
  using Change =
      std::variant<api::ChangeEvent<api::Pod>, api::ChangeEvent<api::ResourceClaim>,
                   api::ChangeEvent<api::ResourceSlice>, api::ChangeEvent<api::DeviceTaintRule>>;
  template <class T>
  using Objects = std::map<api::NamespacedName, api::ObjectPtr<T>>;

  using FakeCalls::FakeCalls;

  // The actions of users, drivers, the scheduler and kubelets. Each change gets a resourceVersion.
  void put(const PodPtr& pod) { put_in(pods, pod); }
  void put(const ClaimPtr& claim) { put_in(claims, claim); }
  void put(const SlicePtr& slice) { put_in(slices, slice); }
  // As in the server, an existing status is kept.
  void put(const RulePtr& rule);
  void put(const auto& builder) { put(builder.get()); }
  // Puts a rule with a status that somebody else has written.
  void set(const RulePtr& rule) { put_in(rules, rule); }
  void remove_pod(const std::string& name) { remove_from(pods, {"lab", name}); }
  void remove_claim(const std::string& name) { remove_from(claims, {"lab", name}); }
  void remove_rule(const std::string& name) { remove_from(rules, {{}, name}); }

  // Recorded as "mark p", "remove p", "evict p", "r: True PodsPendingEviction: 1 pod …".
  Task<Result<api::Decoded<api::Pod>>> mark(PodRef pod, Mark mark, Priority priority) override;
  Task<Result<>> write(PodRef pod, PodWrite what, Priority priority) override;
  Task<Result<RulePtr>> write_condition(RulePtr rule, api::Condition condition,
                                        Priority priority) override;

  Objects<api::Pod> pods;
  Objects<api::ResourceClaim> claims;
  Objects<api::ResourceSlice> slices;
  Objects<api::DeviceTaintRule> rules;

  // A restore of etcd (with a bumped revision) brings back those pods, and no watch shows that.
  // Returns the revision.
  api::ResourceVersion restore(Objects<api::Pod> backup) {
    pods = std::move(backup);
    return api::ResourceVersion(std::to_string(version_ += 1'000));
  }

  // Called for each change, as a watch.
  std::function<void(const Change&)> on_change = [](const Change&) {};
  // Pods that a PodDisruptionBudget protects.
  std::set<std::string> protected_pods;
  // How often each UID was deleted; evictions of pods already being deleted do not count.
  std::map<std::string, int> deletions;

 private:
  Result<PodPtr> find(const PodRef& pod) const;
  Result<api::Decoded<api::Pod>> apply_mark(const PodRef& pod);
  Result<> carry_out(const PodRef& pod, Remove);
  Result<> carry_out(const PodRef& pod, Evict);
  Result<RulePtr> apply_condition(const RulePtr& rule, const api::Condition& condition);

  // The caller gives up the only reference, so the object is ours to change.
  template <class T>
  api::ObjectPtr<T> store(Objects<T>& objects, const api::ObjectPtr<T>& object,
                          api::ChangeType type) {
    const_cast<T&>(*object).meta.resource_version =
        api::ResourceVersion(std::to_string(++version_));
    objects[object->meta.key] = object;
    on_change(api::ChangeEvent<T>{type, {object->meta, object}});
    return object;
  }
  template <class T>
  void put_in(Objects<T>& objects, const api::ObjectPtr<T>& object) {
    const auto type =
        objects.contains(object->meta.key) ? api::ChangeType::modified : api::ChangeType::added;
    store(objects, object, type);
  }
  template <class T>
  void remove_from(Objects<T>& objects, const api::NamespacedName& key) {
    auto node = objects.extract(key);
    if (node.empty()) return;
    api::ObjectMeta meta = node.mapped()->meta;
    meta.resource_version = api::ResourceVersion(std::to_string(++version_));
    on_change(api::ChangeEvent<T>{api::ChangeType::deleted, {meta, node.mapped()}});
  }

  std::uint64_t version_ = 100;
};

}  // namespace dcm::device_taint_eviction
