// Field rows that several kinds share, and conversions of their enum strings. The numbers are the
// field numbers in the generated.proto of k8s.io/api.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "client/api/fields.hpp"
#include "controllers/api/device.hpp"
#include "controllers/api/device_taint_rule.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"

namespace dcm::api {

// resource.k8s.io/v1beta1, whose requests and devices are structured differently from later
// versions.
constexpr bool is_v1beta1(std::string_view version) {
  return version.ends_with("v1beta1");
}

// ---- pods and pod groups ------------------------------------------------------------------------

// The API's word: "Pending".
std::string_view to_word(PodPhase phase);
void from_word(std::string_view word, PodPhase& out);

// The metadata of a ClaimUser.
constexpr auto user_metadata() {
  return metadata(row<"creationTimestamp", 8>(&ClaimUser::created));
}

// An entry of spec.resourceClaims; kClaim and kTemplate are the field numbers of its two sources.
template <std::uint32_t kClaim, std::uint32_t kTemplate>
constexpr auto pod_claims() {
  return list(
      &ClaimUser::claims,
      rows(row<"name", 1>(&PodClaim::name), row<"resourceClaimName", kClaim>(&PodClaim::claim_name),
           row<"resourceClaimTemplateName", kTemplate>(&PodClaim::template_name)));
}
// The field numbers of pods.
constexpr auto pod_claims() {
  return pod_claims<3, 4>();
}

// status.resourceClaimStatuses, to be sorted at the end.
constexpr auto pod_claim_statuses() {
  // The server accepts no empty name.
  constexpr auto set_name = [](std::string_view name, PodClaimStatus& status) {
    if (!name.empty()) status.claim_name.emplace(name);
  };
  return list(&ClaimUser::claim_statuses,
              rows(row<"name", 1>(&PodClaimStatus::name),
                   row<"resourceClaimName", 2>(one<std::string_view>(set_name))));
}

// ---- devices ------------------------------------------------------------------------------------

void from_word(std::string_view word, TaintEffect& out);

// All fields but the index.
constexpr auto fields_of(const DeviceTaint*) {
  return rows(row<"key", 1>(&DeviceTaint::key), row<"value", 2>(&DeviceTaint::value),
              row<"effect", 3>(&DeviceTaint::effect),
              row<"timeAdded", 4>(&DeviceTaint::time_added));
}

// A slice's spec.pool.
template <class Slice>
constexpr auto pool(InternedString Slice::* name, std::int64_t Slice::* generation,
                    std::int64_t Slice::* slices) {
  return rows(row<"name", 1>(name), row<"generation", 2>(generation),
              row<"resourceSliceCount", 3>(slices));
}

// ---- claims -------------------------------------------------------------------------------------

// The rows of a claim's metadata.
template <class Claim, class... Own>
constexpr auto claim_metadata(Own... own) {
  constexpr auto set_controller = [](ControllerRef owner, Claim& claim) {
    claim.controller = std::move(owner);
  };
  constexpr auto set_extended = [](Word word, Claim& claim) {
    claim.is_extended_resource_claim = word == "true";
  };
  constexpr auto note_finalizer = [](Word finalizer, Claim& claim) {
    claim.has_delete_protection |= finalizer == kDeleteProtectionFinalizer;
  };
  return metadata(row<"annotations", 12>(
                      entries(entry(kPodClaimNameAnnotation, &Claim::pod_claim_name),
                              entry(kExtendedResourceClaimAnnotation, one<Word>(set_extended)))),
                  row<"ownerReferences", 13>(controller(set_controller)),
                  row<"finalizers", 14>(each<Word>(note_finalizer)), std::move(own)...);
}

// An entry of status.reservedFor.
constexpr auto fields_of(const ConsumerReference*) {
  return rows(row<"apiGroup", 1>(&ConsumerReference::group),
              row<"resource", 3>(&ConsumerReference::resource),
              row<"name", 4>(&ConsumerReference::name), row<"uid", 5>(&ConsumerReference::uid));
}

// An entry of status.allocation.devices.results: its device, and the rows in `own`.
template <class Result, class Device, class... Own>
constexpr auto result(Device Result::* device, Own... own) {
  return rows(row<"driver", 2>(at(device, &Device::driver)),
              row<"pool", 3>(at(device, &Device::pool)),
              row<"device", 4>(at(device, &Device::device)), std::move(own)...);
}

// A claim's requests for devices, as far as the controllers read them.
struct DeviceRequests {
  bool has_admin_access = false;      // any request; those of firstAvailable are not counted
  bool has_prioritized_list = false;  // any request has a firstAvailable (KEP-4816)
};
// `devices` of a ResourceClaimSpec. v1beta1 has `adminAccess` directly in the request.
constexpr auto device_requests() {
  constexpr auto note_list = [](Unread, DeviceRequests& requests) {
    requests.has_prioritized_list = true;
  };
  return rows(row<"requests", 1>(items(
      rows(row<"exactly", 2>(rows(row<"adminAccess", 5>(any(&DeviceRequests::has_admin_access)))),
           row<"firstAvailable", 3>(each<Unread>(note_list))))));
}
constexpr auto device_requests_v1beta1() {
  constexpr auto note_list = [](Unread, DeviceRequests& requests) {
    requests.has_prioritized_list = true;
  };
  return rows(
      row<"requests", 1>(items(rows(row<"adminAccess", 6>(any(&DeviceRequests::has_admin_access)),
                                    row<"firstAvailable", 7>(each<Unread>(note_list))))));
}

}  // namespace dcm::api
