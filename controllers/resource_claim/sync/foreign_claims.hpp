// Notices that somebody else makes claims for pods (or pod groups) while we do, and gives way.
//
// Each of our managers computes the same name for a claim (claim_name.hpp); a generated claim that
// appears under another one was made by kube-controller-manager, which must not be. Where both make
// claims, a pod gets two, and its status may name the one while the scheduler allocates the other.
// So the claims of a pod are left to the other manager for a while, and made here only if it has
// made none by then: the other one may have been stopped.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "controllers/common/event_sink.hpp"
#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/rules/decide_generation.hpp"
#include "informers/observer.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/time.hpp"

namespace dcm::resource_claim {

// Until kQuiet after the last foreign claim, creates are held back by kGiveWay for each pod; only
// until kQuietAtFirst in our first minute, when the last claims of the manager before us may show.
//
// Not foreign are: what was there before we led or what a relist finds, and what appears within a
// minute of our beginning: the last creates of who did the work before may have been under way.
// Loop thread only.
class ForeignClaims final : public informers::Observer<api::ResourceClaim> {
 public:
  static constexpr runtime::Duration kQuiet = std::chrono::minutes(10);
  static constexpr runtime::Duration kQuietAtFirst = std::chrono::seconds(10);
  static constexpr runtime::Duration kGiveWay = std::chrono::seconds(30);

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
  // What the dependencies refer to must outlive it.
  explicit ForeignClaims(Dependencies dependencies);
  ForeignClaims(const ForeignClaims&) = delete;
  ForeignClaims& operator=(const ForeignClaims&) = delete;

  // From now on we are the one who makes claims.
  void activate();

  // For how long the claims of this pod or group are still left to the other manager. Nothing: they
  // may be made now.
  std::optional<runtime::Duration> give_way(const api::Uid& owner);
  // Whether creates are held back at this moment.
  bool is_giving_way() const;

  void observe_added(const ClaimPtr& claim, informers::Origin origin) override;
  // Who owns a claim is decided when it appears.
  void observe_updated(const ClaimPtr& /*before*/, const ClaimPtr& /*after*/,
                       informers::Origin /*origin*/) override {}
  void observe_deleted(const ClaimPtr& /*last_known*/, informers::Origin /*origin*/) override {}
  void observe_left(const ClaimPtr& /*last_known*/, informers::Origin /*origin*/) override {}

 private:
  bool is_generated(const api::ResourceClaim& claim) const;
  // Until when creates are held back; in the past: they are not.
  runtime::MonoTime quiet_from() const;
  void report(const api::ResourceClaim& claim);
  void announce(const std::string& text);

  Dependencies deps_;
  runtime::Counter& foreign_;
  runtime::Gauge& giving_way_;
  std::optional<runtime::MonoTime> last_seen_;  // a foreign claim
  // Since when the claims of a pod or group have been left to the other manager.
  std::unordered_map<api::Uid, runtime::MonoTime> left_since_;
  std::optional<runtime::MonoTime> counts_from_;  // nothing: we do not make claims (yet)
  std::optional<runtime::MonoTime> last_line_;
  std::uint64_t since_last_line_ = 0;
  runtime::Refresh refresh_;
};

}  // namespace dcm::resource_claim
