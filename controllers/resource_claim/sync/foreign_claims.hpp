// Detects that another manager creates claims for pods (or pod groups) at the same time, and gives
// way.
//
// All instances compute the same name for a claim (claim_name.hpp). kube-controller-manager, whose
// controller should be off, uses other names. If both create claims, a pod gets two, and its status
// may name one while the scheduler allocates the other. So this manager leaves a pod's claims to
// the other one for a while. It creates them only if they are still missing then, because the other
// manager may have been stopped.
//
// A claim proves nothing: anybody can forge one, and backups are restored. The status of a pod
// does, because only controllers and nodes may write it. So another manager is active if the status
// of a live pod newly names a claim of that pod that this manager would have named differently, and
// that this manager did not write itself (it uses an existing claim of another name).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "client/api/event_sink.hpp"
#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/rules/decide_generated_claims.hpp"
#include "informers/observer.hpp"
#include "informers/store.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/time.hpp"

namespace dcm::resource_claim {

// Until kQuiet after the last such status in a namespace, creates there are delayed by kGiveWay for
// each pod; only until kQuietAtFirst in our first minute, when the last writes of our predecessor
// may appear. Other namespaces are never delayed, so that a forger delays only one namespace.
//
// Loop thread only.
class ForeignClaims final : public informers::Observer<api::ResourceClaim>,
                            public informers::Observer<api::Pod> {
 public:
  static constexpr runtime::Duration kQuiet = std::chrono::minutes(10);
  static constexpr runtime::Duration kQuietAtFirst = std::chrono::seconds(10);
  static constexpr std::chrono::seconds kGiveWay{30};

  enum class Policy : std::uint8_t { give_way, go_on };

  struct Dependencies {
    informers::StoreReader<api::Pod> pods;
    informers::StoreReader<api::ResourceClaim> claims;
    runtime::TimeSource& time;
    runtime::MetricsRegistry& metrics;
    api::EventSink& events;
    runtime::Logger log;
    // Whether claims are created for groups as well.
    common::GroupClaims groups = common::GroupClaims::refused;
    Policy policy = Policy::give_way;
    // The lease that we hold: receives an event about it. nullopt: leader election is off.
    std::optional<api::NamespacedName> lease = {};
  };
  // All dependencies must outlive it.
  explicit ForeignClaims(Dependencies dependencies);
  ForeignClaims(const ForeignClaims&) = delete;
  ForeignClaims& operator=(const ForeignClaims&) = delete;

  // From now on this instance creates claims.
  void activate();

  // How long the claims of this pod or group are still left to the other manager. nullopt: they may
  // be created now.
  std::optional<runtime::Duration> give_way(const api::InternedString& namespace_,
                                            const api::Uid& owner);
  // Call before this manager writes these names into the pod's status: even if the request fails,
  // the names are no sign of another manager.
  void expect_own(const api::Pod& pod, const std::vector<ClaimName>& names);

  void observe_added(const ClaimPtr& claim, informers::Origin origin) override;
  // The owner of a claim never changes.
  void observe_updated(const ClaimPtr& /*before*/, const ClaimPtr& /*after*/,
                       informers::Origin /*origin*/) override {}
  void observe_deleted(const ClaimPtr& last_known, informers::Origin origin) override;
  void observe_left(const ClaimPtr& /*last_known*/, informers::Origin /*origin*/) override {}

  // A pod is created without a status.
  void observe_added(const PodPtr& /*pod*/, informers::Origin /*origin*/) override {}
  void observe_updated(const PodPtr& before, const PodPtr& after,
                       informers::Origin origin) override;
  void observe_deleted(const PodPtr& last_known, informers::Origin origin) override;
  void observe_left(const PodPtr& last_known, informers::Origin origin) override {
    observe_deleted(last_known, origin);
  }

 private:
  void look_at(const api::Pod& pod, const api::PodClaimStatus& status);
  // Whether another manager created the claim that the status names.
  bool is_foreign(const api::Pod& pod, const api::PodClaimStatus& status,
                  const api::ResourceClaim& claim) const;
  bool is_giving_way() const;
  // Until when creates are delayed because of such signs; if in the past, they are not.
  runtime::MonoTime quiet_from(runtime::MonoTime last_seen) const;
  void forget_old(runtime::MonoTime now);
  void note(const api::ResourceClaim& claim);
  void report(const api::ResourceClaim& claim);
  void announce(const std::string& text);

  Dependencies deps_;
  runtime::Counter& foreign_;
  runtime::Gauge& giving_way_;
  // Signs of another manager, by namespace.
  std::unordered_map<api::InternedString, runtime::MonoTime> last_seen_;
  // The claims of a pod or group are left to the other manager.
  struct Left {
    api::InternedString namespace_;
    runtime::MonoTime since;
    runtime::MonoTime last_asked;
  };
  std::unordered_map<api::Uid, Left> left_;
  runtime::MonoTime last_cleared_{};
  // Claim names that we wrote or may have written, without the computed ones, by pod.
  std::unordered_map<api::Uid, std::set<api::InternedString>> own_;
  // Claims that statuses named before the cache had them, with their pods, by namespace.
  std::unordered_map<api::InternedString, std::map<api::InternedString, api::InternedString>>
      awaited_;
  std::optional<runtime::MonoTime> counts_from_;  // nullopt: we do not create claims (yet)
  std::optional<runtime::MonoTime> last_line_;
  std::uint64_t since_last_line_ = 0;
  runtime::Refresh refresh_;
};

}  // namespace dcm::resource_claim
