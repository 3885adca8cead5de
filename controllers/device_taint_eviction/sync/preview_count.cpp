#include "controllers/device_taint_eviction/sync/preview_count.hpp"

#include <utility>

#include "controllers/common/pod_claims.hpp"
#include "controllers/device_taint_eviction/rules/decide_due.hpp"

namespace dcm::device_taint_eviction {
namespace {

api::DeviceTaint as_evicting(api::DeviceTaint taint) {
  taint.effect = api::TaintEffect::no_execute;
  // The preview asks only whether there is a due time, not which.
  if (!taint.time_added) taint.time_added.emplace();
  return taint;
}

}  // namespace

PreviewCount::PreviewCount(RulePtr rule)
    : rule_(std::move(rule)),
      taint_(as_evicting(rule_->taint)),
      walk_(rule_->selector.value_or(api::DeviceSelector{})) {}

bool PreviewCount::advance(const PublishedDevices& published, const AllocatedDevices& allocated,
                           const Lookup& lookup, std::size_t limit) {
  if (!has_usable_selector(*rule_)) return false;
  if (!has_walked_) {
    const auto visit = [&](const AllocatedDevices::Use& use) { return count(use, lookup); };
    has_walked_ = !walk_.advance(allocated, limit, visit).has_more;
    if (has_walked_) preview_.pods = pods_.size();
    return true;
  }
  preview_.published_devices += published.count_part(*rule_->selector, parts_done_);
  pods_.clear_part(parts_done_);
  return ++parts_done_ < runtime::kShards;
}

std::size_t PreviewCount::count(const AllocatedDevices::Use& use, const Lookup& lookup) {
  ++preview_.allocated_devices;
  const bool is_counted = use.claim == last_;
  if (is_counted || !due_of_taint(taint_, use.allocated().tolerations.get())) return 0;
  last_ = use.claim;
  return for_each_consumer(*use.claim, lookup, [&](const PodPtr& pod) {
    const bool uses_it = common::may_consume_now(*use.claim, *pod, lookup.group_claims());
    if (!uses_it || !common::is_active(*pod)) return;
    pods_.insert(pod->meta.uid);
    namespaces_.insert(pod->meta.key.namespace_);
  });
}

Preview PreviewCount::finish() const {
  Preview preview = preview_;
  preview.namespaces = namespaces_.size();
  return preview;
}

}  // namespace dcm::device_taint_eviction
