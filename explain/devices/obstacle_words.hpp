// Formats obstacles between a request and a device.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocation/explain.hpp"
#include "explain/devices/inventory.hpp"
#include "explain/devices/question.hpp"

namespace dcm::explain {

struct ObstacleWords {
  std::string kind;     // after a number of devices: "held by another claim"
  std::string variant;  // what differs between devices: "claim lab/x of pod lab/y"; may be empty
  std::string whole;    // after "gpu-0 is": "held by claim lab/x of pod lab/y until it ends"
};

class Wording {
 public:
  // Both must outlive it.
  Wording(const DeviceInventory& inventory, const DeviceQuestion& question)
      : inventory_(inventory), question_(question) {}

  // nullopt: there is no obstacle.
  std::optional<ObstacleWords> describe(const allocation::DeviceExplanation& device) const;

  // "claim lab/x of pod lab/y", "claim lab/x, which no pod uses", "a claim of another namespace"
  std::string claim(const allocation::Claim& claim) const;
  // "pod lab/y": the consumer that must end before the claim is released. Empty if there is none,
  // or it is hidden.
  std::string consumers(const allocation::Claim& claim) const;
  bool may_name(const allocation::Claim& claim) const;
  // "claim lab/x of pod lab/y and 2 more"
  std::string claims(std::span<const allocation::Claim* const> claims) const;
  // `"gpus"`; of a pod with several claims: `"gpus" of claim "c"`
  std::string name(std::size_t claim, std::string_view name) const;
  // `request "gpus" of claim "c" (class "gpu", device.driver == "x")`; or
  // `extended resource a.b/c of container "c" (request "container-0-request-0", class "gpu")`
  std::string request(std::size_t claim, std::string_view name) const;
  // Whether the only claim that requests devices is the claim for extended resources, which has no
  // tolerations.
  bool is_extended_only() const {
    return question_.extended.claim != nullptr && question_.claims.size() == 1;
  }

 private:
  std::string extended_request(const allocation::Ask& ask) const;

  const DeviceInventory& inventory_;
  const DeviceQuestion& question_;
};

// `unhealthy=yes:NoSchedule`
std::string describe(const allocation::Taint& taint);
// `device.attributes["g"].model is "A100"`; unset values come last.
std::string describe_met(const std::vector<std::pair<std::string, std::string>>& met);
// `selector #0 of class "gpu"`, `selector #1 of the request`
std::string describe_selector(const allocation::SelectorObstacle& selector);

}  // namespace dcm::explain
