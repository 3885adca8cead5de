#include "controllers/device_taint_eviction/sync/write_condition.hpp"

#include <chrono>
#include <utility>
#include <variant>
#include <vector>

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

bool PreviewCount::advance(const AllocatedDevices& allocated, const Lookup& lookup,
                           std::size_t limit) {
  if (!has_usable_selector(*rule_)) return false;
  return walk_.advance(allocated, limit,
                       [&](const api::DeviceId&, const std::vector<AllocatedDevices::Use>& uses) {
                         for (const AllocatedDevices::Use& use : uses) count(use, lookup);
                       });
}

void PreviewCount::count(const AllocatedDevices::Use& use, const Lookup& lookup) {
  ++allocated_devices_;
  if (!decide_due(taint_, use.allocated().tolerations.get())) return;
  for_each_consumer(*use.claim, lookup, [&](const PodPtr& pod) {
    const bool uses_it = common::may_consume_now(*use.claim, *pod, lookup.group_claims());
    if (!uses_it || !can_be_evicted(*pod)) return;
    pods_.insert(pod->meta.uid);
    namespaces_.insert(pod->meta.key.namespace_);
  });
}

Preview PreviewCount::finish(const PublishedDevices& published) const {
  Preview preview;
  preview.allocated_devices = allocated_devices_;
  preview.pods = pods_.size();
  preview.namespaces = namespaces_.size();
  if (has_usable_selector(*rule_)) preview.published_devices = published.count(*rule_->selector);
  return preview;
}

namespace {

// Devices per slice of a count: about 1 ms.
constexpr std::size_t kSlice = 256;

bool needs_preview(const Rule& rule) {
  if (rule.object->taint.effect != api::TaintEffect::none) return false;
  return !rule.preview || rule.preview->generation != rule.object->generation;
}

}  // namespace

Task<workqueue::Outcome> ConditionWriter::sync(std::string name, api::Uid uid) {
  const auto find_rule = [&] {
    Rule* const rule = deps_.rules.find(name);
    return rule != nullptr && rule->object->meta.uid == uid ? rule : nullptr;
  };
  Rule* rule = find_rule();
  while (rule != nullptr && needs_preview(*rule)) {
    co_await count_preview(rule->id, rule->object);
    rule = find_rule();  // it may have changed meanwhile
  }
  if (rule == nullptr) co_return workqueue::Outcome::done();
  // Its pods are still being found; the end of the walk brings it back.
  if (deps_.tracker.is_looking_for(name)) co_return workqueue::Outcome::set_aside();
  ConditionPlan plan = decide_write(*rule->object, *wanted(*rule), deps_.time.wall_now());
  if (const auto* later = std::get_if<WriteLater>(&plan)) {
    co_return workqueue::Outcome::requeue_after(later->delay);
  }
  auto* condition = std::get_if<WriteCondition>(&plan);
  if (condition == nullptr) co_return workqueue::Outcome::done();
  rule->tried = rule->object->generation;
  const workqueue::Outcome outcome = co_await write(rule->object, std::move(condition->condition));
  co_return outcome;
}

std::optional<api::EvictionCondition> ConditionWriter::wanted(const Rule& rule) {
  if (needs_preview(rule)) return std::nullopt;
  return decide_condition(rule.object->taint.effect, rule.counts(),
                          rule.preview ? rule.preview->text : std::string());
}

bool ConditionWriter::has_tried(const Rule& rule) {
  return rule.tried == rule.object->generation;
}

Task<> ConditionWriter::count_preview(RuleId id, RulePtr rule) {
  PreviewCount count(rule);
  while (count.advance(deps_.tracker.allocated(), deps_.tracker.lookup(), kSlice)) {
    co_await runtime::yield();
  }
  Rule* found = deps_.rules.find(id);
  if (found == nullptr) co_return;
  found->preview =
      Rule::Preview{rule->generation, describe(count.finish(deps_.tracker.published()))};
}

Task<workqueue::Outcome> ConditionWriter::write(RulePtr rule, api::EvictionCondition condition) {
  const Result<RulePtr> written =
      co_await deps_.api.write_condition(rule, std::move(condition), Priority::live);
  if (written) {
    deps_.record(*written);
    co_return workqueue::Outcome::done();
  }
  const runtime::Error& error = written.error();
  // Gone, or made again: its own event brings it back.
  if (runtime::is_object_gone(error)) co_return workqueue::Outcome::done();
  deps_.problems.note(Item::rule(*rule), "its condition could not be written: " + error.message);
  deps_.log.warning("The condition of a DeviceTaintRule could not be written",
                    {{"rule", rule->meta.key.name}, {"error", runtime::to_string(error)}});
  co_return workqueue::Outcome::retry(error.retry_after.value_or(runtime::Duration::zero()));
}

}  // namespace dcm::device_taint_eviction
