// The messages that node and plugin exchange (pluginregistration/v1, dra/v1 and dra-health/v1 of
// k8s.io/kubelet; dra/v1beta1 lacks `share_id` and is otherwise identical on the wire, and so is
// v1alpha1 of health). Unknown fields are skipped.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node/claims/decide.hpp"
#include "node/devices/health.hpp"
#include "node/plugins/services.hpp"

namespace dcm::node {

// An allocation has at most 32 results, a pod's claims are limited as well, and the API limits the
// names in them. A driver's answer may have several times as much, but no more, as it is kept in
// memory and in the checkpoint. A larger answer counts as an error for its claim.
inline constexpr std::size_t kAnsweredClaimsMax = 1024;
inline constexpr std::size_t kAnsweredDevicesMax = 128;  // limit for one claim
inline constexpr std::size_t kClaimAnswerBytesMax = std::size_t{256}
                                                    << 10;  // also in the checkpoint
inline constexpr std::size_t kServicesMax = 64;

// Texts that are only shown (errors, messages) are cut. nullopt: not such a message.
std::optional<PluginInfo> decode_plugin_info(std::string_view message);
std::optional<Answers> decode_prepare_answer(std::string_view message);
std::optional<Answers> decode_unprepare_answer(std::string_view message);
// The driver's own times are ignored: a report counts from its arrival.
std::optional<std::vector<HealthReport>> decode_health_report(std::string_view message);

// RegistrationStatus; an empty error: registered.
std::string encode_registration_status(std::string_view error);
// The request of both NodePrepareResources and NodeUnprepareResources.
std::string encode_claims(const std::vector<ClaimRef>& claims);

}  // namespace dcm::node
