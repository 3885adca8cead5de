#include "explain/devices/asking_pod.hpp"

#include <algorithm>
#include <string_view>

#include "allocation/json/decode.hpp"
#include "client/api/json/decoder.hpp"
#include "controllers/api/fields/parts.hpp"

namespace dcm::explain {
namespace {

using api::row;
using api::rows;
using api::json::Source;
using Container = allocation::ContainerResources;

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
         row<"resourceClaims">(api::pod_claims()), row<"tolerations">(&AskingPod::tolerations),
         row<"initContainers">(containers(&AskingPod::init_containers)),
         row<"containers">(containers(&AskingPod::containers)));
constexpr auto kStatus = rows(
    row<"resourceClaimStatuses">(api::pod_claim_statuses()),
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
