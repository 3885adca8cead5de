// The fields of pods that matter for a question about devices (core/v1, JSON).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocation/extended_resources.hpp"
#include "allocation/node_selector.hpp"
#include "client/api/decoder.hpp"
#include "client/api/json/source.hpp"
#include "controllers/api/pod.hpp"
#include "explain/devices/inventory.hpp"
#include "explain/devices/question.hpp"

namespace dcm::explain {

// A pod that requests devices.
struct AskingPod : api::ClaimUser {
  allocation::RequiredNodeAffinity node_affinity = {};
  std::vector<allocation::Toleration> tolerations = {};
  std::vector<allocation::ContainerResources> init_containers = {};
  std::vector<allocation::ContainerResources> containers = {};
  // The claim that was created for its extended resources, and may be gone; empty: none yet.
  std::string extended_claim = {};
};

// For JsonDecoder (client/api/json/decoder.hpp): top-level fields.
struct AskingPodFields {
  bool read_field(std::string_view version, std::string_view key, const api::json::Source& from,
                  AskingPod& pod) const;
  bool is_kept(const AskingPod&) const { return true; }
  void complete(AskingPod& pod) const { sort_claim_statuses(pod); }
};

std::unique_ptr<api::Decoder<AskingPod>> make_asking_pod_decoder();

// What devices the pod needs; nullopt if the scheduler does not get as far as devices.
std::optional<DeviceQuestion> question_of(const AskingPod& pod, const DeviceInventory& inventory,
                                          Names names);
// Returns false if the scheduler waits for the claim, or cannot use it.
bool add_claim(const DeviceInventory& inventory, std::string_view name, DeviceQuestion& question);

}  // namespace dcm::explain
