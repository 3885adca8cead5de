// Kubernetes feature gates: the names, stages and defaults of kube-controller-manager 1.37 that
// matter to the controllers here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/error.hpp"

namespace dcm::manager {

struct FeatureGate {
  std::string_view name;
  std::string_view stage;  // as in kubernetes_feature_enabled: "ALPHA", "BETA" or "" (GA)
  bool is_enabled_by_default;
  bool is_locked;  // to its default
};

std::span<const FeatureGate> known_feature_gates();

// Which gates are on.
class FeatureGates {
 public:
  FeatureGates();

  // Requires a known name.
  bool is_enabled(std::string_view name) const;
  // Applies "A=true,B=false". Errors: configuration; names the gate and what is wrong with it.
  runtime::Result<> apply(std::string_view settings);

 private:
  std::vector<bool> enabled_;  // by position in known_feature_gates()
};

}  // namespace dcm::manager
