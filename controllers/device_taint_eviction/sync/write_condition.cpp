#include "controllers/device_taint_eviction/sync/write_condition.hpp"

#include <chrono>
#include <utility>
#include <variant>

#include "controllers/device_taint_eviction/tracker/preview.hpp"

namespace dcm::device_taint_eviction {
namespace {

// Devices per slice of a count: about 1 ms.
constexpr std::size_t kSlice = 256;

// DeviceTaintRules had no status before Kubernetes 1.35.
constexpr runtime::Duration kWithoutStatus = std::chrono::minutes(10);

}  // namespace

Task<workqueue::Outcome> ConditionWriter::sync(std::string name) {
  const runtime::MonoTime now = deps_.time.now();
  if (now < not_before_) co_return workqueue::Outcome::retry_after(not_before_ - now);
  const Rule* rule = deps_.tracker.rules().find(name);
  while (rule != nullptr && needs_preview(*rule)) {
    co_await count_preview(rule->id, rule->object);
    rule = deps_.tracker.rules().find(name);  // it may have changed meanwhile
  }
  forget_deleted();
  if (rule == nullptr) co_return workqueue::Outcome::done();
  ConditionPlan plan = decide_write(*rule->object, *wanted(*rule), deps_.time.wall_now());
  if (const auto* later = std::get_if<WriteLater>(&plan)) {
    co_return workqueue::Outcome::retry_after(later->delay);
  }
  auto* condition = std::get_if<WriteCondition>(&plan);
  if (condition == nullptr) co_return workqueue::Outcome::done();
  const workqueue::Outcome outcome =
      co_await write(rule->id, rule->object, std::move(condition->condition));
  co_return outcome;
}

std::optional<api::EvictionCondition> ConditionWriter::wanted(const Rule& rule) const {
  if (needs_preview(rule)) return std::nullopt;
  const auto preview = previews_.find(rule.id);
  return decide_condition(rule.object->taint.effect, deps_.tracker.pending().counts(rule.id),
                          preview == previews_.end() ? std::string() : preview->second.text);
}

bool ConditionWriter::has_tried(const Rule& rule) const {
  const auto found = tried_.find(rule.id);
  return found != tried_.end() && found->second == rule.object->generation;
}

bool ConditionWriter::needs_preview(const Rule& rule) const {
  if (rule.object->taint.effect != api::TaintEffect::none) return false;
  const auto found = previews_.find(rule.id);
  return found == previews_.end() || found->second.generation != rule.object->generation;
}

Task<> ConditionWriter::count_preview(RuleId id, RulePtr rule) {
  PreviewCount count(rule);
  while (count.advance(deps_.tracker.allocated(), deps_.tracker.lookup(), kSlice)) {
    co_await runtime::yield();
  }
  previews_.insert_or_assign(
      id, PreviewText{rule->generation, describe(count.finish(deps_.tracker.published()))});
}

Task<workqueue::Outcome> ConditionWriter::write(RuleId id, RulePtr rule,
                                                api::EvictionCondition condition) {
  tried_.insert_or_assign(id, rule->generation);
  const Result<RulePtr> written =
      co_await deps_.api.write_condition(rule, std::move(condition), Priority::live);
  if (written) {
    deps_.record(*written);
    co_return workqueue::Outcome::done();
  }
  const runtime::Error& error = written.error();
  // Gone, or made again: its own event brings it back.
  if (runtime::is_object_gone(error)) co_return workqueue::Outcome::done();
  deps_.problems.note(Item::rule(rule->meta.key.name),
                      "its condition could not be written: " + error.message);
  deps_.log.warning("The condition of a DeviceTaintRule could not be written",
                    {{"rule", rule->meta.key.name}, {"error", runtime::to_string(error)}});
  if (error.reason == runtime::Reason::not_served) {
    not_before_ = deps_.time.now() + kWithoutStatus;
    co_return workqueue::Outcome::retry_after(kWithoutStatus);
  }
  co_return workqueue::Outcome::retry();
}

void ConditionWriter::forget_deleted() {
  const auto is_deleted = [this](const auto& entry) {
    return deps_.tracker.rules().find(entry.first) == nullptr;
  };
  std::erase_if(previews_, is_deleted);
  std::erase_if(tried_, is_deleted);
}

}  // namespace dcm::device_taint_eviction
