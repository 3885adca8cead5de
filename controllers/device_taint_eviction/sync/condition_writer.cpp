#include "controllers/device_taint_eviction/sync/condition_writer.hpp"

#include <utility>
#include <variant>

#include "controllers/device_taint_eviction/sync/preview_count.hpp"

namespace dcm::device_taint_eviction {
namespace {

// Devices and consumers per slice of a count: about 1 ms.
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
  // Its pods are still being found; the end of the walk requeues it.
  if (deps_.tracker.is_looking_for(name)) co_return workqueue::Outcome::set_aside();
  ConditionPlan plan = decide_write(*rule->object, *wanted(*rule), deps_.time.wall_now());
  if (const auto* later = std::get_if<WriteLater>(&plan)) {
    co_return workqueue::Outcome::requeue_after(later->delay);
  }
  auto* condition = std::get_if<WriteCondition>(&plan);
  if (condition == nullptr) co_return workqueue::Outcome::done();
  rule->tried = rule->object->generation;
  co_return co_await write(rule->object, std::move(condition->condition));
}

std::optional<api::Condition> ConditionWriter::wanted(const Rule& rule) {
  if (needs_preview(rule)) return std::nullopt;
  return decide_condition(rule.object->taint.effect, rule.counts(),
                          rule.preview ? rule.preview->text : std::string());
}

bool ConditionWriter::has_tried(const Rule& rule) {
  return rule.tried == rule.object->generation;
}

Task<> ConditionWriter::count_preview(RuleId id, RulePtr rule) {
  PreviewCount count(rule);
  const Tracker& tracker = deps_.tracker;
  while (count.advance(tracker.published(), tracker.allocated(), tracker.lookup(), kSlice)) {
    co_await runtime::yield();
  }
  Rule* found = deps_.rules.find(id);
  if (found == nullptr) co_return;
  found->preview = Rule::Preview{rule->generation, describe(count.finish())};
}

Task<workqueue::Outcome> ConditionWriter::write(RulePtr rule, api::Condition condition) {
  const Result<RulePtr> written =
      co_await deps_.api.write_condition(rule, std::move(condition), Priority::live);
  if (written) {
    deps_.record(*written);
    co_return workqueue::Outcome::done();
  }
  const runtime::Error& error = written.error();
  // The rule is gone, or was recreated: its own event requeues it.
  if (runtime::is_object_gone(error)) co_return workqueue::Outcome::done();
  deps_.problems.note(Item::rule(*rule), "its condition could not be written: " + error.message);
  deps_.log.warning("The condition of a DeviceTaintRule could not be written",
                    {{"rule", rule->meta.key.name}, {"error", runtime::to_string(error)}});
  co_return workqueue::Outcome::retry(error.retry_after.value_or(runtime::Duration::zero()));
}

}  // namespace dcm::device_taint_eviction
