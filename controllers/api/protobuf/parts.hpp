// Readers of protobuf fields that several kinds share.
#pragma once

#include <string_view>
#include <vector>

#include "client/api/protobuf/field.hpp"
#include "controllers/api/fields.hpp"

namespace dcm::api::protobuf {

// resource.k8s.io/v1beta1, whose requests and devices are structured differently from later
// versions.
bool is_v1beta1(std::string_view api_version);

// All but the index.
DeviceTaint read_taint(const Field& taint);

// Appends it, if it matters to eviction.
void read_toleration(const Field& toleration, std::vector<DeviceToleration>& tolerations);

// Of a ResourceClaimSpec.
DeviceRequests read_claim_spec(const Field& spec, std::string_view api_version);

// Which fields of an entry of spec.resourceClaims name its source.
struct ClaimSourceNumbers {
  std::uint32_t claim;
  std::uint32_t claim_template;
};

// The metadata of a pod or pod group.
void read_metadata(const Field& metadata, ClaimUser& user);
// An entry of a pod's or pod group's spec.resourceClaims.
void read_claim(const Field& entry, ClaimSourceNumbers numbers, ClaimUser& user);
// An entry of their status.resourceClaimStatuses.
void read_claim_status(const Field& entry, ClaimUser& user);

}  // namespace dcm::api::protobuf
