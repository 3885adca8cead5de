#include "apiserver/front/deprecations.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/definitions/defined_kind.hpp"

namespace dcm::apiserver {

namespace {

// APILifecycleDeprecated, APILifecycleRemoved and APILifecycleReplacement of k8s.io/api, as far as
// Kubernetes 1.37 says so.
struct Deprecated {
  std::string_view api_version;
  std::string_view except;  // the kind that came to the version later
  std::string_view text;
};

constexpr Deprecated kDeprecated[] = {
    {"resource.k8s.io/v1beta1", "", "in v1.35+, unavailable in v1.38+"},
    {"resource.k8s.io/v1beta2", "DeviceTaintRule", "in v1.36+, unavailable in v1.39+"},
    {"resource.k8s.io/v1alpha3", "ResourcePoolStatusRequest", "in v1.36+, unavailable in v1.39+"},
};

}  // namespace

std::string deprecation_of(const ResourceType& type, std::string_view version) {
  if (type.defined != nullptr) return type.defined->deprecation;
  if (type.is("Endpoints")) {
    return "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
  }
  const std::string api_version = type.api_version(version);
  const auto* const row = std::ranges::find(kDeprecated, api_version, &Deprecated::api_version);
  if (row == std::end(kDeprecated) || type.is(row->except)) return {};
  return fmt::format("{} {} is deprecated {}", api_version, type.kind, row->text);
}

}  // namespace dcm::apiserver
