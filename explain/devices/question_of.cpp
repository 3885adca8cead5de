#include <utility>

#include "controllers/common/pod_claims.hpp"
#include "explain/devices/asking_pod.hpp"

namespace dcm::explain {
namespace {

using allocation::Claim;

// The claim that the scheduler creates for extended resources, if it can.
void add_extended(const AskingPod& pod, const DeviceInventory& inventory,
                  DeviceQuestion& question) {
  const auto containers = allocation::numbered(pod.init_containers, pod.containers);
  auto& [classes, claim, mappings] = question.extended;
  for (const std::string& resource : allocation::extended_resources_of(containers)) {
    classes[resource] = inventory.class_serving(resource);
  }
  if (classes.empty() || question.extended.lacks_class()) return;
  allocation::ExtendedClaim made = allocation::make_extended_claim(containers, classes);
  Claim made_claim;
  made_claim.meta.key = {pod.meta.key.namespace_, allocation::kExtendedClaimName};
  made_claim.spec = std::move(made.spec);
  mappings = std::move(made.mappings);
  claim = api::ObjectPtr(std::move(made_claim));
  question.claims.push_back(claim.get());
}

}  // namespace

bool add_claim(const DeviceInventory& inventory, std::string_view name, DeviceQuestion& question) {
  const Claim* const claim = inventory.find_claim({question.namespace_, name});
  if (claim == nullptr || claim->meta.is_being_deleted) return false;
  (claim->allocation ? question.allocated : question.claims).push_back(claim);
  return true;
}

std::optional<DeviceQuestion> question_of(const AskingPod& pod, const DeviceInventory& inventory,
                                          Names names) {
  DeviceQuestion question{.namespace_ = pod.meta.key.namespace_.str(),
                          .names = names,
                          .node_affinity = pod.node_affinity,
                          .tolerations = pod.tolerations};
  for (const api::PodClaim& pod_claim : pod.claims) {
    const common::PodClaimTarget target = common::target_of(pod, pod_claim);
    if (std::holds_alternative<common::NoClaimNeeded>(target)) continue;
    const auto name = common::claim_name(target);
    if (!name || !add_claim(inventory, *name, question)) return std::nullopt;
  }
  // After a failed binding, the scheduler deletes the claim and later makes another one. Until
  // then, the status names the deleted claim.
  const bool has_extended =
      !pod.extended_claim.empty() &&
      inventory.find_claim({question.namespace_, pod.extended_claim}) != nullptr;
  if (!has_extended) add_extended(pod, inventory, question);
  return question;
}

}  // namespace dcm::explain
