#include "playground/cluster/pretended_devices.hpp"

#include "controllers/common/pod_claims.hpp"

namespace dcm::playground {
namespace {

void emit_claims_of_starting_pod(const Pod& pod, const informers::Emit<api::NamespacedName>& emit) {
  if (pod.node_name.empty() || pod.phase != api::PodPhase::pending) return;
  for (const std::string_view name : common::names_of_claims(pod)) {
    emit({pod.meta.key.namespace_, std::string(name)});
  }
}

}  // namespace

PretendedDevices::PretendedDevices(Caches& caches, WakePod wake)
    : caches_(caches),
      starting_by_claim_(
          caches.pods.informer().add_index<api::NamespacedName>(emit_claims_of_starting_pod)),
      on_claim_([this, wake = std::move(wake)](const auto& before, const auto& after) {
        starting_by_claim_.for_each(
            (after ? after : before)->meta.key,
            [&wake](const api::ObjectPtr<Pod>& pod) { wake(pod->meta.key); });
      }) {
  caches_.claims.informer().add_observer(on_claim_);
}

ClaimsReady PretendedDevices::look(const Pod& pod) const {
  for (const api::PodClaim& entry : pod.claims) {
    const common::PodClaimTarget target = common::target_of(pod, entry);
    if (std::holds_alternative<common::NoClaimNeeded>(target)) continue;
    const auto name = common::claim_name(target);
    if (!name) return ClaimsReady::no;
    const auto claim = caches_.claims.get({pod.meta.key.namespace_, std::string(*name)});
    if (!claim || !common::may_consume_now(*claim, pod, common::GroupClaims::refused))
      return ClaimsReady::no;
  }
  return ClaimsReady::yes;
}

Task<std::optional<Outcome>> PretendedDevices::prepare(api::ObjectPtr<Pod>) {
  co_return std::nullopt;
}

Task<std::optional<Outcome>> PretendedDevices::unprepare(api::ObjectPtr<Pod>) {
  co_return std::nullopt;
}

}  // namespace dcm::playground
