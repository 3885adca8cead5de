// Pods as far as a question about devices depends on them (core/v1, JSON).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allocation/node_selector.hpp"
#include "client/api/decoder.hpp"
#include "client/api/meta.hpp"

namespace dcm::manager {

// A pod that wants devices.
struct AskingPod {
  api::ObjectMeta meta;
  allocation::RequiredNodeAffinity node_affinity = {};
  // Each by its pod claim; nullopt: it has no claim yet, or is of a kind that is not known here.
  struct PodClaim {
    std::string name = {};
    std::optional<std::string> claim = {};
    bool needs_none = false;  // the template's claim is not needed
  };
  std::vector<PodClaim> claims = {};
};

std::unique_ptr<api::Decoder<AskingPod>> make_asking_pod_decoder();

}  // namespace dcm::manager
