#include "apiserver/rules/pod_spec.hpp"

#include <set>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/names.hpp"
#include "apiserver/rules/pod_parts.hpp"
#include "apiserver/rules/pod_probes.hpp"
#include "apiserver/rules/pod_requests.hpp"
#include "apiserver/rules/volume_sources.hpp"
#include "apiserver/rules/volume_uses.hpp"

namespace dcm::apiserver {

namespace {

// The names to which containers refer, and the names of the containers before.
struct Names {
  Volumes volumes;
  Texts claims;
  Texts containers = {};
};

// Lists the pod's claims only in part: a pod may have thousands, and thousands of such mistakes.
Cause unknown_claim(const std::string& path, const std::string& name,
                    const std::set<std::string_view>& claims) {
  constexpr std::size_t kShownMax = 1024;
  std::string shown;
  for (const std::string_view claim : claims) {
    shown += shown.empty() ? ": " : ", ";
    shown += claim;
    if (shown.size() < kShownMax) continue;
    shown += ", …";
    break;
  }
  return not_found_value(path, Json(name),
                         fmt::format("must be one of the names in pod.spec.resourceClaims{}",
                                     claims.empty() ? " which is empty" : shown));
}

void validate_container_claims(const JsonObject& resources, const Names& names,
                               const std::string& path, Causes& causes) {
  std::set<std::string> seen;      // names, and names with requests
  std::set<std::string> in_parts;  // names of used requests
  for (const auto& [claim, here] : with_paths(array_at(resources, {"claims"}), path + ".claims")) {
    const std::string name(text_at(claim, {"name"}));
    if (name.empty()) {
      causes.push_back(required_value(here));
      continue;
    }
    const std::string request(text_at(claim, {"request"}));
    if (!request.empty() && !seen.contains(name)) {
      validate_name(NameRule::dns_label, request, here + ".request", causes);
    }
    const bool overlaps = seen.contains(name) || (request.empty() && in_parts.contains(name));
    const std::string key = request.empty() ? name : name + "/" + request;
    if (!seen.insert(key).second || overlaps) causes.push_back(duplicate_value(here, Json(key)));
    if (!request.empty()) in_parts.insert(name);
    if (!names.claims.contains(name)) causes.push_back(unknown_claim(here, name, names.claims));
  }
}

void validate_container(const JsonObject& container, const Names& names, const std::string& path,
                        Causes& causes) {
  validate_container_parts(container, path, causes);
  validate_volume_uses(container, names.volumes, path, causes);
  const JsonObject& resources = object_at(container, {"resources"});
  validate_container_resources(resources, path + ".resources", causes);
  validate_container_claims(resources, names, path + ".resources", causes);
}

void validate_handlers(const JsonObject& container, const std::string& path, Causes& causes) {
  validate_lifecycle(container, path, causes);
  validate_probes(container, path, causes);
}

// Calls `visit(port, hostPort, path of hostPort)` for each port that has a hostPort.
void for_each_host_port(const JsonObject& container, const std::string& path, auto visit) {
  for (const auto& [port, at] : with_paths(array_at(container, {"ports"}), path + ".ports")) {
    const auto number = integer_at(port, {"hostPort"}).value_or(0);
    if (number != 0) visit(port, number, at + ".hostPort");
  }
}

// Containers that run at the same time cannot share a host port. `taken` has the host ports of the
// containers before.
void validate_host_ports(const JsonObject& container, const std::string& path,
                         std::set<std::string>& taken, Causes& causes) {
  for_each_host_port(
      container, path, [&](const JsonObject& port, std::int64_t number, const std::string& at) {
        const std::string shown =
            fmt::format("{}/{}/{}", text_at(port, {"protocol"}), text_at(port, {"hostIP"}), number);
        if (!taken.insert(shown).second) causes.push_back(duplicate_value(at, Json(shown)));
      });
}

void validate_containers(const JsonObject& spec, const std::string& path, Names& names,
                         Causes& causes) {
  const JsonArray& containers = array_at(spec, {"containers"});
  if (containers.empty()) causes.push_back(required_value(path));
  for (const auto& [container, here] : with_paths(containers, path)) {
    validate_container(container, names, here, causes);
    validate_handlers(container, here, causes);
    const std::string_view name = text_at(container, {"name"});
    if (!names.containers.insert(name).second) {
      causes.push_back(duplicate_value(here + ".name", Json(name)));
    }
  }
  std::set<std::string> taken;
  for (const auto& [container, at] : with_paths(containers, path)) {
    validate_host_ports(container, at, taken, causes);
  }
}

// Their names differ from those of the containers. A container that ends before the others start
// has no handlers.
void validate_init_containers(const JsonObject& spec, const std::string& path, Names& names,
                              Causes& causes) {
  for (const auto& [container, here] : with_paths(array_at(spec, {"initContainers"}), path)) {
    validate_container(container, names, here, causes);
    const std::string_view name = text_at(container, {"name"});
    if (names.containers.contains(name))
      causes.push_back(duplicate_value(here + ".name", Json(name)));
    if (!name.empty()) names.containers.insert(name);
    std::set<std::string> taken;
    validate_host_ports(container, here, taken, causes);
    if (text_at(container, {"restartPolicy"}) == "Always") {
      validate_handlers(container, here, causes);
      continue;
    }
    for (const auto* field : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
      if (!has(container, {field})) continue;
      causes.push_back(forbidden_value(
          here + "." + field, "may not be set for init containers without restartPolicy=Always"));
    }
  }
}

// Ephemeral containers are added to running pods; names are unique among all containers.
void validate_ephemeral_containers(const JsonObject& spec, const std::string& path, Names& names,
                                   Causes& causes) {
  for (const auto& [container, here] : with_paths(array_at(spec, {"ephemeralContainers"}), path)) {
    validate_container(container, names, here, causes);
    const std::string_view name = text_at(container, {"name"});
    if (name.empty() || names.containers.insert(name).second) continue;
    causes.push_back(duplicate_value(here + ".name", Json(name)));
  }
}

// With hostNetwork, a container's port is the node's port.
void validate_ports_of_host(const JsonObject& spec, const std::string& path, Causes& causes) {
  const auto visit = [&](const JsonObject& port, std::int64_t number, const std::string& at) {
    if (integer_at(port, {"containerPort"}) == number) return;
    causes.push_back(
        invalid_value(at, Json(number), "must match `containerPort` when `hostNetwork` is true"));
  };
  const JsonArray& containers = array_at(spec, {"containers"});
  for (const auto& [container, at] : with_paths(containers, path + ".containers")) {
    for_each_host_port(container, at, visit);
  }
}

// The resources of the pod as a whole.
void validate_pod_resources(const JsonObject& spec, const Names& names, const std::string& path,
                            Causes& causes) {
  if (!has(spec, {"resources"})) return;
  if (text_at(spec, {"os", "name"}) == "windows") {
    causes.push_back(forbidden_value(path, "may not be set for a windows pod"));
    return;
  }
  if (has(spec, {"resources", "claims"})) {
    causes.push_back(
        forbidden_value(path + ".claims", "claims may not be set for Resources at pod-level"));
  }
  validate_pod_level_resources(spec, path, causes);
  validate_container_claims(object_at(spec, {"resources"}), names, path, causes);
}

void validate_subdomain(const JsonObject& object, const char* key, const std::string& path,
                        Causes& causes) {
  validate_name(NameRule::dns_subdomain, text_at(object, {key}), path + "." + key, causes);
}

// `names` are those of the claims before it.
void validate_claim_name(std::string_view name, const std::string& path,
                         std::set<std::string_view>& names, Causes& causes) {
  if (name.empty()) {
    causes.push_back(required_value(path));
  } else if (!names.insert(name).second) {
    causes.push_back(duplicate_value(path, Json(name)));
  } else {
    validate_name(NameRule::dns_label, name, path, causes);
  }
}

void validate_pod_claims(const JsonObject& spec, const std::string& path, Causes& causes) {
  std::set<std::string_view> names;
  for (const auto& [claim, here] : with_paths(array_at(spec, {"resourceClaims"}), path)) {
    validate_claim_name(text_at(claim, {"name"}), here + ".name", names, causes);
    const bool is_named = has(claim, {"resourceClaimName"});
    const bool is_from_template = has(claim, {"resourceClaimTemplateName"});
    if (is_named == is_from_template) {
      causes.push_back(invalid_value(here, claim,
                                     is_named ? "at most one of `resourceClaimName` or "
                                                "`resourceClaimTemplateName` may be specified"
                                              : "must specify one of: `resourceClaimName`, "
                                                "`resourceClaimTemplateName`"));
    }
    for (const auto* key : {"resourceClaimName", "resourceClaimTemplateName"}) {
      if (has(claim, {key})) validate_subdomain(claim, key, here, causes);
    }
  }
}

}  // namespace

void validate_pod_spec(const JsonObject& spec, const std::string& path, Causes& causes,
                       const JsonArray& claims) {
  Names names{.volumes = validate_volumes(array_at(spec, {"volumes"}), path + ".volumes", causes),
              .claims = texts_of(array_at(spec, {"resourceClaims"}), "name")};
  for (const Json& claim : claims) {
    names.volumes[text_at(as_object(claim), {"metadata", "name"})] =
        VolumeModes::filesystem_or_block;
  }
  validate_pod_claims(spec, path + ".resourceClaims", causes);
  validate_containers(spec, path + ".containers", names, causes);
  if (has_true(spec, "hostNetwork")) validate_ports_of_host(spec, path, causes);
  validate_init_containers(spec, path + ".initContainers", names, causes);
  validate_ephemeral_containers(spec, path + ".ephemeralContainers", names, causes);
  validate_pod_resources(spec, names, path + ".resources", causes);
  validate_choice(text_at(spec, {"restartPolicy"}), {"Always", "OnFailure", "Never"},
                  path + ".restartPolicy", causes);
  validate_labels(object_at(spec, {"nodeSelector"}), path + ".nodeSelector", causes);
  validate_scheduling_gates(array_at(spec, {"schedulingGates"}), path + ".schedulingGates", causes);
  for (const auto* key : {"serviceAccountName", "nodeName"}) {
    if (!text_at(spec, {key}).empty()) validate_subdomain(spec, key, path, causes);
  }
  if (const auto seconds = integer_at(spec, {"activeDeadlineSeconds"})) {
    validate_range(*seconds, 1, kDeadlineMax, path + ".activeDeadlineSeconds", causes);
  }
  for (const auto* key : {"hostname", "subdomain"}) {
    const std::string_view label = text_at(spec, {key});
    if (!label.empty()) validate_name(NameRule::dns_label, label, path + "." + key, causes);
  }
  validate_pod_tolerations(array_at(spec, {"tolerations"}), path + ".tolerations", causes);
  validate_container_resources({{"limits", object_at(spec, {"overhead"})}}, path + ".overhead",
                               causes);
}

}  // namespace dcm::apiserver
