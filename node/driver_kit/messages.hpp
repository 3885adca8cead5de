// The driver's side of the messages (node/plugins/messages.hpp has the node's), and of
// NodeWatchResources (dra-health/v1 of k8s.io/kubelet; v1alpha1 is identical on the wire).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node/claims/decide.hpp"
#include "node/devices/health.hpp"
#include "node/plugins/services.hpp"

namespace dcm::driver_kit {

struct RegistrationStatus {
  bool is_registered = false;
  std::string error = {};  // returned by the node if it failed
};

std::string encode_plugin_info(const node::PluginInfo& info);
std::string encode_prepared(const node::Answers& answers);
std::string encode_unprepared(const node::Answers& answers);
// Times are omitted: nodes count from arrival.
std::string encode_health(const std::vector<node::HealthReport>& devices);

// nullopt: not such a message.
std::optional<RegistrationStatus> decode_registration_status(std::string_view message);
// The request of both NodePrepareResources and NodeUnprepareResources. Names may be any texts.
std::optional<std::vector<node::ClaimRef>> decode_claims(std::string_view message);

}  // namespace dcm::driver_kit
