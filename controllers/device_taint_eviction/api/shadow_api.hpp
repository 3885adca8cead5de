// The API of a dry run: writes are noted down and waited for in the caches.
#pragma once

#include <array>
#include <functional>

#include "controllers/common/expectations.hpp"
#include "controllers/device_taint_eviction/api/api.hpp"
#include "controllers/device_taint_eviction/tracker.hpp"

namespace dcm::device_taint_eviction {

// The controller is told that the pod or rule is gone: it looks again when it hears of it, or
// minutes later. So a write is decided once, not again and again while somebody else does it, and
// no eviction is counted that was none.
//
// Of a rule's condition, status and reason are compared, and not how many pods it says were
// evicted: each process counts its own.
class ShadowApi final : public EvictionApi {
 public:
  static constexpr common::WriteKind kMark{"patch", "pods/status"};
  static constexpr common::WriteKind kRemove{"delete", "pods"};
  static constexpr common::WriteKind kEvict{"create", "pods/eviction"};
  static constexpr common::WriteKind kCondition{"patch", "devicetaintrules/status"};
  // All kinds of writes, for its expectations and those of its controller's ShadowEvents.
  static constexpr std::array kWrites{kMark, kRemove, kEvict, kCondition,
                                      common::ShadowEvents::kWrite};

  // The tracker is that of the controller, which is made later than its API.
  using FindTracker = std::function<const Tracker&()>;
  // `expectations` must outlive it, and it must outlive their run.
  ShadowApi(FindTracker tracker, common::Expectations& expectations)
      : tracker_(std::move(tracker)), expectations_(expectations) {}

  Task<Result<>> write(PodRef pod, PodWrite what, Priority priority) override;
  Task<Result<RulePtr>> write_condition(RulePtr rule, api::EvictionCondition condition,
                                        Priority priority) override;

 private:
  common::Standing standing_of_mark(const PodRef& pod) const;
  common::Standing standing_of_eviction(const PodRef& pod) const;
  common::Standing standing_of_condition(const RulePtr& rule,
                                         const api::EvictionCondition& condition) const;

  FindTracker tracker_;
  common::Expectations& expectations_;
};

}  // namespace dcm::device_taint_eviction
