#include "node/plugins/services.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace dcm::node {
namespace {

bool has(const PluginInfo& info, std::string_view service) {
  return std::ranges::find(info.services, service) != info.services.end();
}

std::optional<DraVersion> known(std::string_view service) {
  if (service == kDraV1) return DraVersion::v1;
  if (service == kDraV1beta1) return DraVersion::v1beta1;
  return std::nullopt;
}

std::optional<DraVersion> choose_dra(const PluginInfo& info, ServiceChoice choice) {
  if (choice == ServiceChoice::newest && has(info, kDraV1)) return DraVersion::v1;
  for (const std::string& service : info.services) {
    if (const auto found = known(service)) return found;
  }
  return std::nullopt;
}

HealthVersion choose_health(const PluginInfo& info) {
  if (has(info, kHealthV1)) return HealthVersion::v1;
  return has(info, kHealthV1alpha1) ? HealthVersion::v1alpha1 : HealthVersion::none;
}

// As Go's %q prints a list.
std::string quoted(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) {
    list += fmt::format("{}\"{}\"", list.empty() ? "" : " ", text);
  }
  return '[' + list + ']';
}

std::string no_service(const PluginInfo& info) {
  return info.services.empty()
             ? "empty list of supported gRPC services (aka supported versions)"
             : fmt::format(
                   "none of services supported by the plugin ({}) are supported by the kubelet "
                   "([\"{}\" \"{}\"])",
                   quoted(info.services), kDraV1, kDraV1beta1);
}

}  // namespace

std::expected<Services, std::string> choose_services(const PluginInfo& info, ServiceChoice choice) {
  const auto dra = choose_dra(info, choice);
  if (!dra) {
    return std::unexpected(
        fmt::format("invalid supported gRPC versions of DRA driver plugin {} at endpoint {}: {}",
                    info.name, info.endpoint, no_service(info)));
  }
  return Services{.dra = *dra, .health = choose_health(info)};
}

std::string method_path(DraVersion version, std::string_view method) {
  return fmt::format("/k8s.io.kubelet.pkg.apis.dra.{}/{}",
                     version == DraVersion::v1 ? kDraV1 : kDraV1beta1, method);
}

std::string health_path(HealthVersion service) {
  return fmt::format("/{}/NodeWatchResources",
                     service == HealthVersion::v1 ? kHealthV1 : kHealthV1alpha1);
}

}  // namespace dcm::node
