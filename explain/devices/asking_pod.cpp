#include "explain/devices/asking_pod.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "allocation/json/decode.hpp"
#include "client/api/json/decoder.hpp"

namespace dcm::explain {
namespace {

using api::each;
using api::row;
using api::rows;
using api::json::Source;
using Container = allocation::ContainerResources;

AskingPod::PodClaim& claim_named(AskingPod& pod, const std::string& name) {
  const auto [found, is_new] = pod.place_of.try_emplace(name, pod.claims.size());
  return is_new ? pod.claims.emplace_back(AskingPod::PodClaim{name}) : pod.claims[found->second];
}

// An entry of the spec, or of the status.
struct ClaimEntry {
  std::string name = {};
  std::optional<std::string> claim = {};
};
constexpr auto fields_of(const ClaimEntry*) {
  return rows(row<"name">(&ClaimEntry::name), row<"resourceClaimName">(&ClaimEntry::claim));
}

void take_entry(ClaimEntry entry, AskingPod& pod) {
  AskingPod::PodClaim& claim = claim_named(pod, entry.name);
  if (entry.claim) claim.claim = std::move(entry.claim);
}

// A status without a claim name means that no claim is needed.
void take_status(ClaimEntry entry, AskingPod& pod) {
  claim_named(pod, entry.name).needs_none = !entry.claim;
  take_entry(std::move(entry), pod);
}

bool read_requests(const Source& from, Container& out) {
  bool has_extended = false;
  const bool is_read = from.each_field([&](std::string_view name, const Source& field) {
    allocation::Quantity amount;
    if (!field.read(amount)) return false;
    has_extended |= allocation::is_extended_resource(name);
    out.requests.push_back({std::string(name), allocation::whole_amount(amount)});
    return true;
  });
  if (!has_extended) out.requests.clear();
  std::ranges::sort(out.requests, {}, &allocation::ResourceRequest::name);
  return is_read;
}

constexpr auto containers(std::vector<Container> AskingPod::* member) {
  constexpr auto set_sidecar = [](api::Word policy, Container& container) {
    container.is_sidecar = policy == "Always";
  };
  return api::list(member, rows(row<"name">(&Container::name),
                                row<"resources">(rows(row<"requests">(&read_requests))),
                                row<"restartPolicy">(api::one<api::Word>(set_sidecar))));
}

template <class M>
constexpr auto affinity(M allocation::RequiredNodeAffinity::* member) {
  return api::at(&AskingPod::node_affinity, member);
}

constexpr auto kSpec =
    rows(row<"affinity">(
             rows(row<"nodeAffinity">(rows(row<"requiredDuringSchedulingIgnoredDuringExecution">(
                 affinity(&allocation::RequiredNodeAffinity::affinity)))))),
         row<"nodeSelector">(affinity(&allocation::RequiredNodeAffinity::node_selector)),
         row<"resourceClaims">(each<ClaimEntry>(take_entry)),
         row<"tolerations">(&AskingPod::tolerations),
         row<"initContainers">(containers(&AskingPod::init_containers)),
         row<"containers">(containers(&AskingPod::containers)));
constexpr auto kStatus = rows(
    row<"resourceClaimStatuses">(each<ClaimEntry>(take_status)),
    row<"extendedResourceClaimStatus">(rows(row<"resourceClaimName">(&AskingPod::extended_claim))));

}  // namespace

bool AskingPodFields::read_field(std::string_view, std::string_view key, const Source& from,
                                 AskingPod& pod) const {
  constexpr auto table =
      rows(row<"metadata">(api::metadata()), row<"spec">(kSpec), row<"status">(kStatus));
  return api::read_field(table, key, from, pod);
}

std::unique_ptr<api::Decoder<AskingPod>> make_asking_pod_decoder() {
  return api::json::make_decoder<AskingPod>(AskingPodFields());
}

}  // namespace dcm::explain
