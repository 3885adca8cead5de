#include "test/fuzz/describe.hpp"

#include <fmt/ranges.h>

namespace dcm::fuzz {
namespace {

std::string describe(const runtime::WallTime& time) {
  return std::to_string(time.time_since_epoch().count());
}

std::string describe(const std::optional<api::InternedString>& text) {
  return text ? text->str() : "(none)";
}

std::string describe(const api::DeviceTaint& taint) {
  return fmt::format("{}={}:{} {} #{}", taint.key.str(), taint.value.str(),
                     static_cast<int>(taint.effect),
                     taint.time_added ? describe(*taint.time_added) : "(no time)", taint.index);
}

std::string describe(const api::DeviceToleration& toleration) {
  return fmt::format("{}{}{} {}", toleration.key.str(), static_cast<int>(toleration.operator_),
                     toleration.value.str(),
                     toleration.duration ? toleration.duration->count() : -1);
}

std::string describe(const api::PodClaim& claim) {
  return fmt::format("{}/{}/{}", claim.name.str(), claim.claim_name, claim.template_name);
}

std::string describe(const api::PodClaimStatus& status) {
  return fmt::format("{}/{}", status.name.str(), describe(status.claim_name));
}

std::string describe(const api::ConsumerReference& consumer) {
  return fmt::format("{}/{}/{}/{}", consumer.group.str(), consumer.resource.str(), consumer.name,
                     consumer.uid.str());
}

std::string describe(const api::AllocatedDevice& device);
std::string describe(const api::PublishedDevice& device);

template <class List>
std::string describe_all(const List& all) {
  std::string text = "[";
  for (const auto& one : all) text += describe(one) + ", ";
  return text + "]";
}

std::string describe(const api::AllocatedDevice& device) {
  return device.id.str() + (device.tolerations ? describe_all(*device.tolerations) : "");
}

std::string describe(const api::PublishedDevice& device) {
  return device.name.str() + (device.taints ? describe_all(*device.taints) : "");
}

std::string describe(const api::ControllerRef& controller) {
  return fmt::format("{}/{}/{}/{}", controller.group.str(), controller.kind.str(), controller.name,
                     controller.uid.str());
}

std::string describe(const std::optional<api::DeviceSelector>& selector) {
  return selector ? fmt::format("{}/{}/{}", selector->driver.str(), selector->pool.str(),
                                selector->device.str())
                  : "(no device)";
}

std::string describe(const std::optional<api::Condition>& condition) {
  return condition ? fmt::format("{} {} {} {} {}", condition->status, condition->reason,
                                 condition->message, condition->observed_generation,
                                 describe(condition->last_transition_time))
                   : "(no condition)";
}

}  // namespace

std::string describe(const api::ObjectMeta& meta) {
  return fmt::format("{} {} {} {}", meta.key.str(), meta.uid.str(), meta.resource_version.str(),
                     meta.is_being_deleted);
}

std::string describe(const api::Pod& pod) {
  return fmt::format("{} {} {} {} {} {} {}", pod.node_name.str(), pod.scheduling_group.str(),
                     static_cast<int>(pod.phase), static_cast<int>(pod.disruption_target),
                     describe_all(pod.claims), describe_all(pod.claim_statuses),
                     pod.extended_resource_claim);
}

std::string describe(const api::PodGroup& group) {
  return describe_all(group.claims) + " " + describe_all(group.claim_statuses);
}

std::string describe(const api::ResourceClaim& claim) {
  return fmt::format("{} {} {} {} {} {} {} {}", claim.pod_claim_name,
                     claim.controller ? describe(*claim.controller) : "(nobody's)",
                     describe_all(claim.reserved_for), describe_all(claim.devices),
                     claim.is_extended_resource_claim, claim.has_delete_protection,
                     claim.is_allocated, claim.has_admin_access);
}

std::string describe(const api::ResourceClaimTemplate& claim_template) {
  return fmt::format("{} {} {} {} {}", claim_template.labels, claim_template.annotations,
                     claim_template.claim_spec.bytes, claim_template.uses_admin_access,
                     claim_template.uses_prioritized_list);
}

std::string describe(const api::ResourceSlice& slice) {
  return fmt::format("{} {} {} {} {} {}", slice.driver.str(), slice.pool.str(),
                     slice.pool_generation, slice.pool_slices, slice.no_schedule.size(),
                     describe_all(slice.devices));
}

std::string describe(const api::DeviceTaintRule& rule) {
  return fmt::format("{} {} {} {} {}", rule.generation, describe(rule.selector),
                     rule.unknown_selector_field, describe(rule.taint), describe(rule.condition));
}

std::string describe(const runtime::Error& error) {
  return fmt::format("{} {} {}", to_string(error), error.http_status.value_or(0),
                     error.retry_after ? error.retry_after->count() : -1);
}

}  // namespace dcm::fuzz
