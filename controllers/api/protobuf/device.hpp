// Taints, tolerations and requests of devices, wherever they stand.
#pragma once

#include <string_view>
#include <vector>

#include "client/api/protobuf/field.hpp"
#include "controllers/api/device.hpp"

namespace dcm::api::protobuf {

// resource.k8s.io/v1beta1, whose requests and devices have another shape than in later versions.
bool is_v1beta1(std::string_view api_version);

// All but the index.
DeviceTaint read_taint(const Field& taint);

// Appends it, if it is one that matters to eviction.
void read_toleration(const Field& toleration, std::vector<DeviceToleration>& tolerations);

// A claim's requests for devices, as far as the controllers read them.
struct DeviceRequests {
  bool has_admin_access = false;      // any request; those of firstAvailable never count
  bool has_prioritized_list = false;  // any request has a firstAvailable (KEP-4816)
};
// Of a ResourceClaimSpec.
DeviceRequests read_claim_spec(const Field& spec, std::string_view api_version);

}  // namespace dcm::api::protobuf
