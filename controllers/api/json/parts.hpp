// Readers of JSON fields that several kinds share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "client/api/json/reader.hpp"
#include "controllers/api/fields.hpp"
#include "runtime/time.hpp"

namespace dcm::api::json {

// metav1.Time; nullopt for null.
[[nodiscard]] bool read_time(Reader& reader, value field, std::optional<runtime::WallTime>& out);

// All but the index.
[[nodiscard]] bool read_taint(Reader& reader, value item, DeviceTaint& taint);

// Appends it, if it matters to eviction.
[[nodiscard]] bool read_toleration(Reader& reader, value item,
                                   std::vector<DeviceToleration>& tolerations);

// The metadata of a pod or pod group.
[[nodiscard]] bool read_metadata(Reader& reader, value metadata, ClaimUser& user);
// An entry of a pod's or pod group's spec.resourceClaims; the whole list.
[[nodiscard]] bool read_claim(Reader& reader, value item, PodClaim& claim);
[[nodiscard]] bool read_claims(Reader& reader, value list, ClaimUser& user);
// Their status.resourceClaimStatuses.
[[nodiscard]] bool read_claim_statuses(Reader& reader, value list, ClaimUser& user);

// An entry of a claim's status.reservedFor.
[[nodiscard]] bool read_consumer(Reader& reader, value item, ConsumerReference& consumer);

// v1beta1 has `adminAccess` directly in the request, later versions below `exactly`.
enum class AdminAccessPlace : std::uint8_t { in_exactly, in_request };
AdminAccessPlace admin_access_place(std::string_view version);

// `devices` of a ResourceClaimSpec, as far as the controllers read it.
[[nodiscard]] bool read_devices(Reader& reader, value devices, AdminAccessPlace place,
                                DeviceRequests& requests);

}  // namespace dcm::api::json
