#include "controllers/api/fields.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace dcm::api {
namespace {

using StringMap = std::map<std::string, std::string>;

struct PhaseName {
  std::string_view name;
  PodPhase phase;
};
constexpr std::array<PhaseName, 5> kPhaseNames = {{
    {"", PodPhase::pending},  // not written yet
    {"Pending", PodPhase::pending},
    {"Running", PodPhase::running},
    {"Succeeded", PodPhase::succeeded},
    {"Failed", PodPhase::failed},
}};

std::string_view group_of(std::string_view api_version) {
  const auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

bool is_known_operator(std::string_view text) {
  return text.empty() || text == "Equal" || text == "Exists";
}

std::size_t size_of(const StringMap& map) {
  std::size_t size = 0;
  for (const auto& [key, text] : map) size += key.size() + text.size();
  return size;
}

constexpr std::size_t kContentBytesMax = std::size_t{16} * 1024;
constexpr std::size_t kAllContentBytesMax = std::size_t{32} * 1024 * 1024;

}  // namespace

PodPhase phase_of(std::string_view text) {
  const auto* found = std::ranges::find(kPhaseNames, text, &PhaseName::name);
  return found == kPhaseNames.end() ? PodPhase::unknown : found->phase;
}

void apply(const PodConditionView& condition, Pod& pod) {
  if (condition.type != kDisruptionTarget || condition.status != "True") return;
  const bool is_ours = condition.reason == kDeviceTaintDisruptionReason &&
                       condition.message == kDeviceTaintDisruptionMessage;
  pod.disruption_target = is_ours ? DisruptionTarget::by_device_taint : DisruptionTarget::other;
}

void apply(const OwnerView& owner, ResourceClaim& claim) {
  if (!owner.is_controller) return;
  claim.controller = std::make_unique<const ControllerRef>(group_of(owner.api_version), owner.kind,
                                                           std::string(owner.name), Uid(owner.uid));
}

void apply_annotation(std::string_view key, std::string_view value, ResourceClaim& claim) {
  if (key == kPodClaimNameAnnotation) claim.pod_claim_name = value;
  if (key == kExtendedResourceClaimAnnotation) claim.is_extended_resource_claim = value == "true";
}

void apply_finalizer(std::string_view finalizer, ResourceClaim& claim) {
  claim.has_delete_protection |= finalizer == kDeleteProtectionFinalizer;
}

void append(const TolerationView& view, std::vector<DeviceToleration>& tolerations) {
  if (view.effect != "NoExecute" || !is_known_operator(view.operator_)) return;
  DeviceToleration& toleration = tolerations.emplace_back();
  toleration.key = view.key;
  toleration.operator_ =
      view.operator_ == "Exists" ? TolerationOperator::exists : TolerationOperator::equal;
  toleration.value = view.value_;
  if (view.seconds) toleration.duration.emplace(*view.seconds);
}

TaintEffect effect_of(std::string_view text) {
  if (text == "NoExecute") return TaintEffect::no_execute;
  if (text == "NoSchedule") return TaintEffect::no_schedule;
  return text.empty() || text == "None" ? TaintEffect::none : TaintEffect::other;
}

ConditionStatus condition_status_of(std::string_view text) {
  if (text == "True") return ConditionStatus::is_true;
  return text == "False" ? ConditionStatus::is_false : ConditionStatus::unknown;
}

void TemplateBudget::settle(ResourceClaimTemplate& result) const {
  result.content_bytes =
      result.claim_spec.bytes.size() + size_of(result.labels) + size_of(result.annotations);
  if (content_ == TemplateContent::all) return;
  result.share = take(result.content_bytes);
  if (result.share != nullptr) return;
  result.content = ResourceClaimTemplate::Content::left_out;
  result.labels.clear();
  result.annotations.clear();
  std::string().swap(result.claim_spec.bytes);  // an assignment would keep its memory
}

std::shared_ptr<const void> TemplateBudget::take(std::size_t bytes) const {
  if (bytes > kContentBytesMax || *taken_ + bytes > kAllContentBytesMax) return nullptr;
  *taken_ += bytes;
  return {taken_.get(), [taken = taken_, bytes](const void*) { *taken -= bytes; }};
}

}  // namespace dcm::api
