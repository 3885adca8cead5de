// Reports changes of the stores to the tracker.
#pragma once

#include <functional>

#include "controllers/device_taint_eviction/tracker.hpp"
#include "informers/on_change.hpp"
#include "runtime/log.hpp"

namespace dcm::device_taint_eviction {

// Passes changes of all four kinds to the tracker and to the log of taints that cannot be followed,
// and tells the controller that there may be work.
class Observers {
 public:
  // `tracker` must outlive it.
  Observers(Tracker& tracker, std::function<void()> notify, runtime::Logger log);
  Observers(const Observers&) = delete;
  Observers& operator=(const Observers&) = delete;

  informers::OnChange<api::Pod>& pods() { return pods_; }
  informers::OnChange<api::ResourceClaim>& claims() { return claims_; }
  informers::OnChange<api::ResourceSlice>& slices() { return slices_; }
  informers::OnChange<api::DeviceTaintRule>& rules() { return rules_; }

 private:
  void report_faults(const RulePtr& before, const api::DeviceTaintRule& rule) const;
  void report_faults(const SlicePtr& before, const api::ResourceSlice& slice) const;

  runtime::Logger log_;
  informers::OnChange<api::Pod> pods_;
  informers::OnChange<api::ResourceClaim> claims_;
  informers::OnChange<api::ResourceSlice> slices_;
  informers::OnChange<api::DeviceTaintRule> rules_;
};

}  // namespace dcm::device_taint_eviction
