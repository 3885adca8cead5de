// Notices that another manager makes claims for pods (or pod groups) while this one does, and gives
// way.
//
// All instances compute the same name for a claim (claim_name.hpp). A generated claim with another
// name was made by kube-controller-manager, whose controller should be off. If both make claims, a
// pod gets two, and its status may name one while the scheduler allocates the other. So this
// manager leaves a pod's claims to the other one for a while. It makes them only if they are still
// missing then, because the other manager may have been stopped.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "controllers/common/event_sink.hpp"
#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/rules/decide_generated_claims.hpp"
#include "informers/observer.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/time.hpp"

namespace dcm::resource_claim {

// Until kQuiet after the last foreign claim of a namespace, creates there are held back by kGiveWay
// for each pod; only until kQuietAtFirst in our first minute, when the last claims of the manager
// before us may show. While that holds for kEverywhere namespaces, it holds for all: whoever may
// write in one namespace can make a claim that looks foreign, and must not hold up the others.
//
// Claims do not count as foreign if they existed before we led, if a relist finds them, or if they
// appear in our first minute: the last creates of the manager before us may have been in flight.
// Loop thread only.
class ForeignClaims final : public informers::Observer<api::ResourceClaim> {
 public:
  static constexpr runtime::Duration kQuiet = std::chrono::minutes(10);
  static constexpr runtime::Duration kQuietAtFirst = std::chrono::seconds(10);
  static constexpr runtime::Duration kGiveWay = std::chrono::seconds(30);
  static constexpr std::size_t kEverywhere = 3;

  enum class Policy : std::uint8_t { give_way, go_on };

  struct Dependencies {
    runtime::TimeSource& time;
    runtime::MetricsRegistry& metrics;
    common::EventSink& events;
    runtime::Logger log;
    // Whether claims are made for groups as well.
    common::GroupClaims groups = common::GroupClaims::refused;
    Policy policy = Policy::give_way;
    // The lease that we lead by: an event on it says what was seen. Nothing: no lease.
    std::optional<api::NamespacedName> lease = {};
  };
  // All dependencies must outlive it.
  explicit ForeignClaims(Dependencies dependencies);
  ForeignClaims(const ForeignClaims&) = delete;
  ForeignClaims& operator=(const ForeignClaims&) = delete;

  // From now on we are the one who makes claims.
  void activate();

  // For how long the claims of this pod or group are still left to the other manager. Nothing: they
  // may be made now.
  std::optional<runtime::Duration> give_way(const api::InternedString& name_space,
                                            const api::Uid& owner);
  // Whether creates are held back at this moment: in any namespace; in all.
  bool is_giving_way() const;
  bool is_giving_way_everywhere() const;

  void observe_added(const ClaimPtr& claim, informers::Origin origin) override;
  // Only new claims matter: the owner of a claim never changes.
  void observe_updated(const ClaimPtr& /*before*/, const ClaimPtr& /*after*/,
                       informers::Origin /*origin*/) override {}
  void observe_deleted(const ClaimPtr& last_known, informers::Origin origin) override;
  void observe_left(const ClaimPtr& /*last_known*/, informers::Origin /*origin*/) override {}

 private:
  bool is_generated(const api::ResourceClaim& claim) const;
  // Until when creates are held back because of that foreign claim; in the past: they are not.
  runtime::MonoTime quiet_from(runtime::MonoTime last_seen) const;
  runtime::MonoTime quiet_from(const api::InternedString& name_space) const;
  runtime::MonoTime quiet_everywhere_from() const;
  void forget_old(runtime::MonoTime now);
  void report(const api::ResourceClaim& claim);
  void announce(const std::string& text);

  Dependencies deps_;
  runtime::Counter& foreign_;
  runtime::Gauge& giving_way_;
  std::unordered_map<api::InternedString, runtime::MonoTime> last_seen_;  // a foreign claim
  // The claims of a pod or group are left to the other manager.
  struct Left {
    runtime::MonoTime since;
    runtime::MonoTime last_asked;
  };
  std::unordered_map<api::Uid, Left> left_;
  runtime::MonoTime last_cleared_{};
  std::optional<runtime::MonoTime> counts_from_;  // nothing: we do not make claims (yet)
  std::optional<runtime::MonoTime> last_line_;
  std::uint64_t since_last_line_ = 0;
  runtime::Refresh refresh_;
};

}  // namespace dcm::resource_claim
