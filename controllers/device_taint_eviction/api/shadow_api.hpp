// The API of a dry run: writes are recorded, and expected in the caches.
#pragma once

#include <array>
#include <functional>

#include "controllers/common/expectations.hpp"
#include "controllers/device_taint_eviction/api/api.hpp"
#include "controllers/device_taint_eviction/tracker.hpp"

namespace dcm::device_taint_eviction {

// The shadow reports the pod or rule as gone: the controller looks again on the next event, or
// minutes later. So each write is decided once, even while another manager works on it. Only
// real evictions are counted.
//
// Of a rule's condition, only status and reason are compared, not the number of evicted pods: each
// process counts its own.
class ShadowApi final : public EvictionApi {
 public:
  static constexpr common::WriteKind kMark{"patch", "pods/status"};
  static constexpr common::WriteKind kRemove{"delete", "pods"};
  static constexpr common::WriteKind kEvict{"create", "pods/eviction"};
  static constexpr common::WriteKind kCondition{"patch", "devicetaintrules/status"};
  // All kinds of writes, for its expectations and those of its controller's ShadowEvents.
  static constexpr std::array kWrites{kMark, kRemove, kEvict, kCondition,
                                      common::ShadowEvents::kWrite};

  // The tracker belongs to the controller, which is created after its API.
  using FindTracker = std::function<const Tracker&()>;
  // `expectations` must outlive it, and it must outlive their run.
  ShadowApi(FindTracker tracker, common::Expectations& expectations)
      : tracker_(std::move(tracker)), expectations_(expectations) {}

  Task<Result<api::Decoded<api::Pod>>> mark(PodRef pod, Mark mark, Priority priority) override;
  Task<Result<>> write(PodRef pod, PodWrite what, Priority priority) override;
  Task<Result<RulePtr>> write_condition(RulePtr rule, api::Condition condition,
                                        Priority priority) override;

 private:
  common::Standing standing_of_mark(const PodRef& pod) const;
  common::Standing standing_of_eviction(const PodRef& pod) const;
  common::Standing standing_of_condition(const RulePtr& rule,
                                         const api::Condition& condition) const;

  FindTracker tracker_;
  common::Expectations& expectations_;
};

}  // namespace dcm::device_taint_eviction
