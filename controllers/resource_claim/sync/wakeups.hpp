// Turns changes of the caches into items of the queue.
#pragma once

#include <map>
#include <variant>
#include <vector>

#include "controllers/common/feature_gates.hpp"
#include "controllers/resource_claim/item.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "controllers/resource_claim/uid_memory.hpp"
#include "informers/observer.hpp"
#include "runtime/log.hpp"

namespace dcm::resource_claim {

using informers::Origin;
using workqueue::Priority;

// Observes four kinds. For each object that a change concerns, it decides like a worker
// (decide_pod, decide_group, decide_claim), and queues the object unless there is nothing to do.
// Pods and groups with many claims are queued without deciding, after a pause that grows with the
// number: otherwise the cost would grow with its square. In the same way, a change that concerns
// many pods and groups queues an item for all of them, for wake_many(): otherwise one user with
// thousands of pods could keep the process busy by making and deleting one claim. The end of a pod
// or group with many claims queues an item for all of them, for wake_claims_of_ended().
//
// On standby, it remembers deleted pods and groups and queues nothing: another instance does the
// work. When activated, it learns everything else from the caches.
class Wakeups final : public informers::Observer<api::Pod>,
                      public informers::Observer<api::ResourceClaim>,
                      public informers::Observer<api::ResourceClaimTemplate>,
                      public informers::Observer<api::PodGroup> {
 public:
  // `queue` must outlive it.
  Wakeups(Stores stores, ItemQueue& queue, common::FeatureGates gates, std::size_t uids_remembered,
          runtime::Logger log);

  // From now on changes are queued. For objects already in the caches: wake_all().
  void activate() { mode_ = Mode::active; }

  // Queues, in slices and as backlog, every object that needs work. Live changes come in between.
  runtime::Task<> wake_all();

  // Wakes the pods and groups that the item stands for, in slices. Always done.
  runtime::Task<Outcome> wake_many(Item users, Priority priority);

  // Wakes the claims of pods and groups of that name that have ended, in slices. Always done.
  runtime::Task<Outcome> wake_claims_of_ended(api::NamespacedName key, Priority priority);

  // Pods and groups known to be gone.
  const UidMemory& deleted_consumers() const { return deleted_consumers_; }

 private:
  enum class Mode : std::uint8_t { standby, active };
  using PodPtr = informers::ObjectPtr<api::Pod>;
  using ClaimPtr = informers::ObjectPtr<api::ResourceClaim>;
  using TemplatePtr = informers::ObjectPtr<api::ResourceClaimTemplate>;
  using GroupPtr = informers::ObjectPtr<api::PodGroup>;

  // Places in the caches.
  struct Users {
    std::vector<informers::SlotId> pods;
    std::vector<informers::SlotId> groups;

    std::size_t size() const { return pods.size() + groups.size(); }
  };

  // A pod or group that has ended.
  using Ended = std::variant<PodPtr, GroupPtr>;
  // The claims that it refers to, and places of those that it owns or is reserved in.
  struct OwnClaims {
    api::InternedString namespace_;
    std::vector<std::string_view> names;  // in the object
    std::vector<informers::SlotId> places;

    std::size_t size() const { return names.size() + places.size(); }
  };

  void observe_added(const PodPtr& pod, Origin origin) override;
  void observe_updated(const PodPtr& before, const PodPtr& after, Origin origin) override;
  void observe_deleted(const PodPtr& last_known, Origin origin) override;
  void observe_left(const PodPtr& last_known, Origin origin) override;

  void observe_added(const ClaimPtr& claim, Origin origin) override;
  void observe_updated(const ClaimPtr& before, const ClaimPtr& after, Origin origin) override;
  void observe_deleted(const ClaimPtr& last_known, Origin origin) override;
  void observe_left(const ClaimPtr& last_known, Origin origin) override;

  void observe_added(const TemplatePtr& claim_template, Origin origin) override;
  void observe_updated(const TemplatePtr& before, const TemplatePtr& after, Origin origin) override;
  void observe_deleted(const TemplatePtr& last_known, Origin origin) override;
  void observe_left(const TemplatePtr& last_known, Origin origin) override;

  void observe_added(const GroupPtr& group, Origin origin) override;
  void observe_updated(const GroupPtr& before, const GroupPtr& after, Origin origin) override;
  void observe_deleted(const GroupPtr& last_known, Origin origin) override;
  void observe_left(const GroupPtr& last_known, Origin origin) override;

  void end_backoff(const Item& item);
  void wake_pod(const PodPtr& pod, Priority priority);
  void wake_group(const GroupPtr& group, Priority priority);
  // Returns false if it has few claims; then the caller decides whether there is work.
  bool enqueue_delayed_if_costly(const Item& item, const api::ClaimUser& user, Priority priority);
  void distrust_memory(Origin origin);
  void wake_claim(const ClaimPtr& claim, Priority priority);
  // At once if they are few; otherwise an item is queued.
  template <class User>
  void wake_claims_of(const informers::ObjectPtr<User>& user, Priority priority);
  OwnClaims claims_of(const Ended& ended) const;
  void wake_own_claim(const OwnClaims& found, std::size_t i, Priority priority);
  void wake_users_of(const api::ResourceClaim& claim, Priority priority);
  void wake_owner_that_names_another(const api::ResourceClaim& claim, Priority priority);
  // At once if they are few; otherwise the item is queued.
  void wake_users(const Item& users, Priority priority);
  Users find(const Item& users) const;
  void wake(const Users& found, std::size_t from, std::size_t until, const Item& users,
            Priority priority);
  void report_foreign_consumers(const api::ResourceClaim& claim);

  Stores stores_;
  ItemQueue& queue_;
  common::FeatureGates gates_;
  runtime::Logger log_;
  Mode mode_ = Mode::standby;
  UidMemory deleted_consumers_;
  UidMemory reported_claims_;
  // Those for which an item is queued, by its key.
  std::map<api::NamespacedName, std::map<api::Uid, Ended>> ended_;
};

}  // namespace dcm::resource_claim
