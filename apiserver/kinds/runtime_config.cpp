#include "apiserver/kinds/runtime_config.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apiserver/model/version_order.hpp"

namespace dcm::apiserver {

namespace {

using Versions = std::vector<std::string>;

// A version that is off unless it is asked for, and the kinds that it has.
struct OptionalVersion {
  std::string_view group;
  std::string_view version;
  std::vector<Versions ServedVersions::*> kinds;

  std::string name() const { return fmt::format("{}/{}", group, version); }
};

const std::vector<OptionalVersion>& optional_versions() {
  constexpr auto kResource = &ServedVersions::resource;
  constexpr auto kTaintRules = &ServedVersions::device_taint_rules;
  constexpr auto kPoolStatuses = &ServedVersions::pool_status_requests;
  constexpr auto kPodGroups = &ServedVersions::pod_groups;
  static const std::vector<OptionalVersion> kVersions = {
      {"resource.k8s.io", "v1beta2", {kResource, kTaintRules}},
      {"resource.k8s.io", "v1beta1", {kResource}},
      {"resource.k8s.io", "v1alpha3", {kTaintRules, kPoolStatuses}},
      {"scheduling.k8s.io", "v1beta1", {kPodGroups}},
      {"scheduling.k8s.io", "v1alpha3", {kPodGroups}},
  };
  return kVersions;
}

enum class Wanted { on, off };
using Settings = std::map<std::string, Wanted, std::less<>>;

bool is_level(std::string_view name) {
  return name == "api/all" || name == "api/beta" || name == "api/alpha";
}

std::string known_names() {
  std::vector<std::string> names;
  for (const OptionalVersion& version : optional_versions()) names.push_back(version.name());
  return fmt::format("{}, api/all, api/beta, api/alpha", fmt::join(names, ", "));
}

bool is_known(std::string_view name) {
  return is_level(name) || std::ranges::any_of(optional_versions(), [&](const auto& version) {
           return version.name() == name;
         });
}

std::expected<Settings, std::string> read(const std::vector<std::string>& texts) {
  Settings settings;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const std::string value = equals == std::string::npos ? "true" : text.substr(equals + 1);
    if (!is_known(name)) {
      return std::unexpected(fmt::format(
          "\"{}\" is not a version that can be turned on or off; {} are", name, known_names()));
    }
    if (value != "true" && value != "false") {
      return std::unexpected(
          fmt::format("\"{}\": expected true or false, got \"{}\"", name, value));
    }
    settings[name] = value == "true" ? Wanted::on : Wanted::off;
  }
  return settings;
}

bool is_on(const OptionalVersion& version, const Settings& settings) {
  const bool is_beta = version.version.contains("beta");
  for (const std::string& name :
       {version.name(), std::string(is_beta ? "api/beta" : "api/alpha"), std::string("api/all")}) {
    const auto found = settings.find(name);
    if (found != settings.end()) return found->second == Wanted::on;
  }
  return false;
}

}  // namespace

std::expected<ServedVersions, std::string> served_versions(
    const std::vector<std::string>& settings) {
  const auto wanted = read(settings);
  if (!wanted) return std::unexpected(wanted.error());
  ServedVersions served;
  for (const OptionalVersion& version : optional_versions()) {
    if (!is_on(version, *wanted)) continue;
    for (const auto kind : version.kinds) {
      (served.*kind).emplace_back(version.version);
      std::ranges::sort(served.*kind, goes_before);
    }
  }
  return served;
}

}  // namespace dcm::apiserver
