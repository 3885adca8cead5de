#include "apiserver/rules/resource_names.hpp"

#include <algorithm>
#include <array>

#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

// Resources without a prefix, most of them for quotas.
constexpr std::array<std::string_view, 9> kCountedResources = {"pods",
                                                               "resourcequotas",
                                                               "services",
                                                               "secrets",
                                                               "configmaps",
                                                               "persistentvolumeclaims",
                                                               "services.nodeports",
                                                               "services.loadbalancers",
                                                               "replicationcontrollers"};
constexpr std::array<std::string_view, 11> kMeasuredResources = {
    "cpu",          "memory",          "ephemeral-storage",          "storage",
    "requests.cpu", "requests.memory", "requests.ephemeral-storage", "requests.storage",
    "limits.cpu",   "limits.memory",   "limits.ephemeral-storage"};

bool is_in(const auto& resources, std::string_view resource) {
  return std::ranges::find(resources, resource) != resources.end();
}

bool is_standard(std::string_view resource) {
  return is_in(kCountedResources, resource) || is_in(kMeasuredResources, resource) ||
         is_huge_page_resource(resource) || resource.starts_with("requests.hugepages-");
}

// Of Kubernetes itself.
bool is_native(std::string_view resource) {
  return !resource.contains('/') || resource.contains("kubernetes.io/");
}

// A quota on it uses a label key.
bool is_extended(std::string_view resource) {
  return !is_native(resource) && !resource.starts_with("requests.") &&
         problems_with_qualified_name("requests." + std::string(resource)).empty();
}

// Returns whether the name is valid.
bool validate_resource(std::string_view resource, const std::string& path, Causes& causes) {
  Problems problems = problems_with_qualified_name(resource);
  if (problems.empty() && !resource.contains('/') && !is_standard(resource)) {
    problems.emplace_back("must be a standard resource type or fully qualified");
  }
  add_problems(problems, resource, path, causes);
  return problems.empty();
}

}  // namespace

bool is_huge_page_resource(std::string_view resource) {
  return resource.starts_with(kHugePages);
}

bool is_pod_resource(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || is_huge_page_resource(resource);
}

bool is_counted_resource(std::string_view resource) {
  return is_in(kCountedResources, resource) || is_extended(resource);
}

bool may_be_overcommitted(std::string_view resource) {
  return is_native(resource) && !is_huge_page_resource(resource);
}

void validate_container_resource(std::string_view resource, const std::string& path,
                                 Causes& causes) {
  validate_resource(resource, path, causes);
  const auto refuse = [&](std::string_view why) {
    causes.push_back(invalid_value(path, Json(resource), why));
  };
  if (!resource.contains('/')) {
    if (is_pod_resource(resource) || resource == "ephemeral-storage") return;
    refuse("must be a standard resource for containers");
  } else if (!is_native(resource) && !is_extended(resource)) {
    refuse("doesn't follow extended resource name standard");
  }
}

void validate_pod_resource(std::string_view resource, const std::string& path, Causes& causes) {
  if (!validate_resource(resource, path, causes) || is_pod_resource(resource)) return;
  causes.push_back(not_supported(path, Json(resource), {"cpu", kHugePages, "memory"}));
}

}  // namespace dcm::apiserver
