// The caches that the controller reads, and how the tracker is told of their changes.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "controllers/device_taint_eviction/state/lookup.hpp"
#include "controllers/device_taint_eviction/tracker/tracker.hpp"
#include "informers/observer.hpp"
#include "informers/store.hpp"
#include "runtime/log.hpp"

namespace dcm::device_taint_eviction {

// Pods by the group that they are in: only where groups share claims.
using PodsByGroup = informers::Index<api::Pod, api::NamespacedName>;
void index_pod_by_group(const api::Pod& pod, const informers::Emit<api::NamespacedName>& emit);
// `pods` is an informer or a bare store.
template <class Pods>
std::optional<PodsByGroup> declare_pods_by_group(Pods& pods, const common::FeatureGates& gates) {
  if (common::group_claims(gates) == common::GroupClaims::refused) return std::nullopt;
  return pods.template add_index<api::NamespacedName>("pods by group, for eviction",
                                                      index_pod_by_group);
}

// Readers; none of them outlives its store.
class StoreLookup final : public Lookup {
 public:
  StoreLookup(informers::StoreReader<api::Pod> pods,
              informers::StoreReader<api::ResourceClaim> claims,
              std::optional<PodsByGroup> pods_by_group = std::nullopt)
      : pods_(pods), claims_(claims), pods_by_group_(pods_by_group) {}

  PodPtr find_pod(const api::NamespacedName& key) const override { return pods_.get(key); }
  ClaimPtr find_claim(const api::NamespacedName& key) const override { return claims_.get(key); }
  common::GroupClaims group_claims() const override {
    return pods_by_group_ ? common::GroupClaims::shared : common::GroupClaims::refused;
  }
  std::vector<PodPtr> pods_of_group(const api::NamespacedName& group) const override {
    return pods_by_group_ ? pods_by_group_->get(group) : std::vector<PodPtr>();
  }

 private:
  informers::StoreReader<api::Pod> pods_;
  informers::StoreReader<api::ResourceClaim> claims_;
  std::optional<PodsByGroup> pods_by_group_;
};

// Hands every change of one kind on as a pair of states.
template <class T>
class PairObserver final : public informers::Observer<T> {
 public:
  using Ptr = informers::ObjectPtr<T>;
  using Change = std::function<void(const Ptr& before, const Ptr& after)>;

  explicit PairObserver(Change change) : change_(std::move(change)) {}

  void observe_added(const Ptr& object, informers::Origin /*origin*/) override {
    change_(nullptr, object);
  }
  void observe_updated(const Ptr& before, const Ptr& after, informers::Origin /*origin*/) override {
    change_(before, after);
  }
  void observe_deleted(const Ptr& last_known, informers::Origin /*origin*/) override {
    change_(last_known, nullptr);
  }
  void observe_left(const Ptr& last_known, informers::Origin /*origin*/) override {
    change_(last_known, nullptr);
  }

 private:
  Change change_;
};

// Passes changes of all four kinds to the tracker and to the log of taints that cannot be followed,
// and tells the controller that there may be work.
class Observers {
 public:
  // `tracker` must outlive it.
  Observers(Tracker& tracker, std::function<void()> notify, runtime::Logger log);
  Observers(const Observers&) = delete;
  Observers& operator=(const Observers&) = delete;

  PairObserver<api::Pod>& pods() { return pods_; }
  PairObserver<api::ResourceClaim>& claims() { return claims_; }
  PairObserver<api::ResourceSlice>& slices() { return slices_; }
  PairObserver<api::DeviceTaintRule>& rules() { return rules_; }

 private:
  void report_faults(const RulePtr& before, const api::DeviceTaintRule& rule) const;
  void report_faults(const SlicePtr& before, const api::ResourceSlice& slice) const;

  runtime::Logger log_;
  PairObserver<api::Pod> pods_;
  PairObserver<api::ResourceClaim> claims_;
  PairObserver<api::ResourceSlice> slices_;
  PairObserver<api::DeviceTaintRule> rules_;
};

}  // namespace dcm::device_taint_eviction
