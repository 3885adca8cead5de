#include "cmd/dra-controller-manager/options/kubernetes.hpp"

#include <algorithm>
#include <span>
#include <string>

#include <fmt/format.h>

#include "options/setting.hpp"

namespace dcm::dra_manager::kubernetes {
namespace {

#include "cmd/dra-controller-manager/options/kubernetes_names.inc"

// The lists are sorted.
bool is_in(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::binary_search(names, name);
}

std::string with_dashes(std::string_view name) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  return dashed;
}

// Flags about the process itself, with the only value that matches our behaviour. nullopt: no value
// matches.
struct OwnFlag {
  std::string_view name;
  std::optional<std::string_view> done;
};
constexpr OwnFlag kOwnFlags[] = {
    {"allow-metric-labels", std::nullopt},
    {"allow-metric-labels-manifest", std::nullopt},
    {"authentication-skip-lookup", "false"},
    {"authentication-token-webhook-cache-ttl", "10s"},
    {"authentication-tolerate-lookup-failure", "true"},
    {"authorization-webhook-cache-authorized-ttl", "10s"},
    {"authorization-webhook-cache-unauthorized-ttl", "10s"},
    {"cert-dir", std::nullopt},
    {"disabled-metrics", std::nullopt},
    {"emulated-version", std::nullopt},
    {"log-json-split-stream", "false"},
    {"log-text-split-stream", "false"},
    {"min-compatibility-version", std::nullopt},
    {"permit-address-sharing", "false"},
    {"permit-port-sharing", "false"},
    {"requestheader-allowed-names", std::nullopt},
    {"requestheader-client-ca-file", std::nullopt},
    {"requestheader-extra-headers-prefix", std::nullopt},
    {"requestheader-group-headers", std::nullopt},
    {"requestheader-uid-headers", std::nullopt},
    {"requestheader-username-headers", std::nullopt},
    {"show-hidden-metrics-for-version", std::nullopt},
    {"tls-curve-preferences", std::nullopt},
    {"tls-sni-cert-key", std::nullopt},
    {"vmodule", std::nullopt},
};

}  // namespace

std::optional<FlagType> flag_type(std::string_view name) {
  const std::string dashed = with_dashes(name);
  if (is_in(kFlagsWithValue, dashed)) return FlagType::with_value;
  if (is_in(kSwitches, dashed)) return FlagType::switched;
  return std::nullopt;
}

std::string why_refused(std::string_view name, std::string_view value,
                        std::string_view kubeconfig) {
  const std::string dashed = with_dashes(name);
  const bool is_review =
      dashed == "authentication-kubeconfig" || dashed == "authorization-kubeconfig";
  if (is_review && value == kubeconfig) return {};
  if (is_review) {
    return fmt::format("callers are reviewed with --kubeconfig: expected the same file, got \"{}\"",
                       value);
  }
  const auto flag = std::ranges::find(kOwnFlags, dashed, &OwnFlag::name);
  if (flag == std::end(kOwnFlags) || flag->done == value) return {};
  if (dashed.starts_with("requestheader-")) {
    return "a front proxy's headers authenticate no caller here: leave this flag out";
  }
  if (!flag->done) return "this flag of kube-controller-manager is not supported here";
  return fmt::format("only {} is supported here, got \"{}\"", *flag->done, value);
}

bool is_controller(std::string_view name) {
  return is_in(kControllers, name);
}

bool is_feature_gate(std::string_view name) {
  return is_in(kGates, name);
}

std::string closest_feature_gate(std::string_view wrong) {
  return closest(wrong, Strings(std::begin(kGates), std::end(kGates)));
}

}  // namespace dcm::dra_manager::kubernetes
