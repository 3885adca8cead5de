#include "apiserver/rules/pod_claim_statuses.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

void validate_generated_claims(const JsonObject& pod, Causes& causes) {
  const Texts claims = texts_of(array_at(pod, {"spec", "resourceClaims"}), "name");
  Texts names;
  const JsonArray& statuses = array_at(pod, {"status", "resourceClaimStatuses"});
  for (const auto& [status, path] : with_paths(statuses, "status.resourceClaimStatuses")) {
    const std::string_view name = text_at(status, {"name"});
    require_known_claim(name, claims, path + ".name", causes);
    if (!names.insert(name).second) causes.push_back(duplicate_value(path + ".name", Json(name)));
    if (has(status, {"resourceClaimName"})) {
      validate_name(NameRule::dns_subdomain, text_at(status, {"resourceClaimName"}),
                    path + ".resourceClaimName", causes);
    }
  }
}

// Null if there is none.
const JsonObject* find_container(const JsonArray& containers, std::string_view name) {
  const auto found = std::ranges::find_if(containers, [&](const Json& container) {
    return text_at(as_object(container), {"name"}) == name;
  });
  return found == containers.end() ? nullptr : &as_object(*found);
}

const JsonObject* find_container(const JsonObject& pod, std::string_view name) {
  const JsonObject* const main = find_container(array_at(pod, {"spec", "containers"}), name);
  return main != nullptr ? main : find_container(array_at(pod, {"spec", "initContainers"}), name);
}

const Json* requested(const JsonObject& container, std::string_view resource) {
  return object_at(container, {"resources", "requests"}).if_contains(resource);
}

void validate_request_mapping(const JsonObject& pod, const JsonObject& mapping,
                              const std::string& path, Causes& causes) {
  const std::string_view name = text_at(mapping, {"containerName"});
  const JsonObject* const container = find_container(pod, name);
  if (container == nullptr) {
    causes.push_back(invalid_value(path + ".containerName", Json(name),
                                   "must match the name of an entry in spec.initContainers.name "
                                   "or spec.containers.name"));
    return;
  }
  const std::string_view resource = text_at(mapping, {"resourceName"});
  if (requested(*container, resource) != nullptr) return;
  causes.push_back(invalid_value(
      path + ".resourceName", Json(resource),
      "must match the extended resource name of an entry in "
      "spec.initContainers.resources.requests or spec.containers.resources.requests"));
}

void validate_extended_claim(const JsonObject& pod, Causes& causes) {
  if (!has(pod, {"status", "extendedResourceClaimStatus"})) return;
  const std::string path = "status.extendedResourceClaimStatus";
  const JsonObject& status = object_at(pod, {"status", "extendedResourceClaimStatus"});
  const JsonArray& mappings = array_at(status, {"requestMappings"});
  if (mappings.empty()) {
    causes.push_back(
        required_value(path + ".requestMappings", "at least one request mapping is required"));
  }
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> seen;
  for (const auto& [mapping, at] : with_paths(mappings, path + ".requestMappings")) {
    validate_request_mapping(pod, mapping, at, causes);
    const std::string_view request = text_at(mapping, {"requestName"});
    validate_name(NameRule::dns_label, request, path + ".requestName", causes);
    const bool is_new = seen.emplace(text_at(mapping, {"containerName"}),
                                     text_at(mapping, {"resourceName"}), request)
                            .second;
    if (is_new) continue;
    for (const auto* key : {"containerName", "resourceName", "requestName"}) {
      causes.push_back(
          duplicate_value(fmt::format("{}.{}", at, key), Json(text_at(mapping, {key}))));
    }
  }
  const std::string_view name = text_at(status, {"resourceClaimName"});
  if (name.empty()) {
    causes.push_back(required_value(path + ".resourceClaimName"));
  } else {
    validate_name(NameRule::dns_subdomain, name, path + ".resourceClaimName", causes);
  }
}

std::string resource_id(std::string_view claim, std::string_view request) {
  const std::string id = fmt::format("claim:{}", claim);
  return request.empty() ? id : fmt::format("{}/{}", id, request);
}

// Whether the container uses the request of the claim for its extended resources.
bool is_of_extended_claim(std::string_view id, const JsonObject& container, const JsonObject& pod) {
  const JsonObject& status = object_at(pod, {"status", "extendedResourceClaimStatus"});
  const std::string_view claim = text_at(status, {"resourceClaimName"});
  return std::ranges::any_of(array_at(status, {"requestMappings"}), [&](const Json& item) {
    const JsonObject& mapping = as_object(item);
    const std::string_view request = text_at(mapping, {"requestName"});
    const bool is_mapped = !claim.empty() && !request.empty() && id == resource_id(claim, request);
    if (!is_mapped || text_at(mapping, {"containerName"}) != text_at(container, {"name"})) {
      return false;
    }
    const Json* const amount = requested(container, text_at(mapping, {"resourceName"}));
    return amount != nullptr && as_text(*amount) != "0";
  });
}

void validate_device_name(std::string_view id, const JsonObject& container, const JsonObject& pod,
                          const std::string& path, Causes& causes) {
  if (!id.starts_with("claim:")) {
    if (requested(container, id) != nullptr) return;
    causes.push_back(
        invalid_value(path, Json(id), "must match one of the container's resource requests"));
    return;
  }
  const bool is_own =
      std::ranges::any_of(array_at(container, {"resources", "claims"}), [&](const Json& claim) {
        const JsonObject& used = as_object(claim);
        return id == resource_id(text_at(used, {"name"}), text_at(used, {"request"}));
      });
  if (is_own || is_of_extended_claim(id, container, pod)) return;
  causes.push_back(invalid_value(
      path, Json(id),
      "must match one of the container's resource claims as 'claim:<claimName>/<requestName>' when "
      "container.resources.claims[*].request is set or 'claim:<claimName>' when it is empty"));
}

void validate_device_health(const JsonArray& devices, const std::string& list, Causes& causes) {
  constexpr std::size_t kMessageMax = 1024;
  Texts ids;
  for (const auto& [device, path] : with_paths(devices, list)) {
    validate_choice(text_at(device, {"health"}), {"Healthy", "Unhealthy", "Unknown"},
                    path + ".health", causes);
    if (has(device, {"message"})) {
      const std::size_t size = text_at(device, {"message"}).size();
      if (size == 0) {
        causes.push_back(required_value(path + ".message", "must be non-empty if specified"));
      } else if (size > kMessageMax) {
        causes.push_back(too_long(path + ".message", kMessageMax));
      }
    }
    const std::string_view id = text_at(device, {"resourceID"});
    if (!ids.insert(id).second) causes.push_back(duplicate_value(path + ".resourceID", Json(id)));
  }
}

// The statuses of the containers in `spec.<containers>`. Unknown containers are ignored.
void validate_devices(const JsonObject& pod, const char* containers, const char* statuses,
                      Causes& causes) {
  const JsonArray& all = array_at(pod, {"status", statuses});
  for (const auto& [status, at] : with_paths(all, fmt::format("status.{}", statuses))) {
    const JsonObject* const container =
        find_container(array_at(pod, {"spec", containers}), text_at(status, {"name"}));
    const JsonArray& resources = array_at(status, {"allocatedResourcesStatus"});
    for (const auto& [resource, path] : with_paths(resources, at + ".allocatedResourcesStatus")) {
      if (container != nullptr) {
        validate_device_name(text_at(resource, {"name"}), *container, pod, path + ".name", causes);
      }
      validate_device_health(array_at(resource, {"resources"}), path + ".resources", causes);
    }
  }
}

void forbid_devices(const JsonObject& pod, Causes& causes) {
  const JsonArray& statuses = array_at(pod, {"status", "ephemeralContainerStatuses"});
  for (const auto& [status, path] : with_paths(statuses, "status.ephemeralContainerStatuses")) {
    if (array_at(status, {"allocatedResourcesStatus"}).empty()) continue;
    causes.push_back(forbidden_value(path + ".allocatedResourcesStatus",
                                     "must not be specified in container status"));
  }
}

}  // namespace

void require_known_claim(std::string_view name, const Texts& claims, const std::string& path,
                         Causes& causes) {
  if (claims.contains(name)) return;
  causes.push_back(
      invalid_value(path, Json(name), "must match the name of an entry in `spec.resourceClaims`"));
}

void validate_claim_statuses(const JsonObject& pod, Causes& causes) {
  validate_generated_claims(pod, causes);
  validate_extended_claim(pod, causes);
  validate_devices(pod, "containers", "containerStatuses", causes);
  validate_devices(pod, "initContainers", "initContainerStatuses", causes);
  forbid_devices(pod, causes);
}

}  // namespace dcm::apiserver
