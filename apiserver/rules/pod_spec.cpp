#include "apiserver/rules/pod_spec.hpp"

#include <set>

#include <fmt/format.h>

#include "apiserver/rules/pod_parts.hpp"
#include "apiserver/rules/pod_probes.hpp"
#include "apiserver/rules/pod_requests.hpp"
#include "apiserver/rules/pod_volumes.hpp"
#include "apiserver/rules/quantities.hpp"
#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::int64_t kDeadlineMax = 2'147'483'647;

// The names to which containers refer, and the names of the containers before.
struct Names {
  Names(const JsonObject& spec, Volumes of_volumes) : volumes(std::move(of_volumes)) {
    for (const Json& claim : array_at(spec, {"resourceClaims"})) {
      claims.insert(text_at(as_object(claim), {"name"}));
    }
  }

  Volumes volumes;
  std::set<std::string_view> claims = {};
  std::set<std::string_view> containers = {};
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
  std::size_t index = 0;
  for (const Json& item : array_at(resources, {"claims"})) {
    const std::string here = indexed(path + ".claims", index++);
    const std::string name(text_at(as_object(item), {"name"}));
    if (name.empty()) {
      causes.push_back(required_value(here));
      continue;
    }
    const std::string request(text_at(as_object(item), {"request"}));
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
  validate_uses_of_volumes(container, names.volumes, path, causes);
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
  std::size_t index = 0;
  for (const Json& port : array_at(container, {"ports"})) {
    const std::string here = indexed(path + ".ports", index++) + ".hostPort";
    const auto number = integer_at(as_object(port), {"hostPort"}).value_or(0);
    if (number != 0) visit(as_object(port), number, here);
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
  std::size_t index = 0;
  for (const Json& item : containers) {
    const std::string here = indexed(path, index++);
    if (!item.is_object()) continue;
    const JsonObject& container = item.get_object();
    validate_container(container, names, here, causes);
    validate_handlers(container, here, causes);
    const std::string_view name = text_at(container, {"name"});
    if (!names.containers.insert(name).second) {
      causes.push_back(duplicate_value(here + ".name", Json(name)));
    }
  }
  std::set<std::string> taken;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    validate_host_ports(as_object(containers[i]), indexed(path, i), taken, causes);
  }
}

// Their names differ from those of the containers. A container that ends before the others start
// has no handlers.
void validate_init_containers(const JsonObject& spec, const std::string& path, Names& names,
                              Causes& causes) {
  std::size_t index = 0;
  for (const Json& item : array_at(spec, {"initContainers"})) {
    const std::string here = indexed(path, index++);
    const JsonObject& container = as_object(item);
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

// Running pods get them; names are unique among all containers.
void validate_ephemeral_containers(const JsonObject& spec, const std::string& path, Names& names,
                                   Causes& causes) {
  std::size_t index = 0;
  for (const Json& container : array_at(spec, {"ephemeralContainers"})) {
    const std::string here = indexed(path, index++);
    validate_container(as_object(container), names, here, causes);
    const std::string_view name = text_at(as_object(container), {"name"});
    if (name.empty() || names.containers.insert(name).second) continue;
    causes.push_back(duplicate_value(here + ".name", Json(name)));
  }
}

// With hostNetwork, a container's port is the node's port.
void validate_ports_of_host(const JsonObject& spec, const std::string& path, Causes& causes) {
  std::size_t index = 0;
  for (const Json& container : array_at(spec, {"containers"})) {
    for_each_host_port(
        as_object(container), indexed(path + ".containers", index++),
        [&](const JsonObject& port, std::int64_t number, const std::string& at) {
          if (integer_at(port, {"containerPort"}) == number) return;
          causes.push_back(invalid_value(at, Json(number),
                                         "must match `containerPort` when `hostNetwork` is true"));
        });
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
  validate_resources_as_a_whole(spec, path, causes);
  validate_container_claims(object_at(spec, {"resources"}), names, path, causes);
}

void validate_deadline(const JsonObject& spec, const std::string& path, Causes& causes) {
  const auto seconds = integer_at(spec, {"activeDeadlineSeconds"});
  if (!seconds || (*seconds >= 1 && *seconds <= kDeadlineMax)) return;
  causes.push_back(invalid_value(path + ".activeDeadlineSeconds", Json(*seconds),
                                 "must be between 1 and 2147483647, inclusive"));
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
  std::size_t index = 0;
  for (const Json& item : array_at(spec, {"resourceClaims"})) {
    const std::string here = indexed(path, index++);
    if (!item.is_object()) continue;
    const JsonObject& claim = item.get_object();
    validate_claim_name(text_at(claim, {"name"}), here + ".name", names, causes);
    const bool named = has(claim, {"resourceClaimName"});
    const bool from_template = has(claim, {"resourceClaimTemplateName"});
    if (named == from_template) {
      causes.push_back(invalid_value(here, item,
                                     named ? "at most one of `resourceClaimName` or "
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
  Names names(spec, validate_volumes(array_at(spec, {"volumes"}), path + ".volumes", causes));
  for (const Json& claim : claims) {
    names.volumes[text_at(as_object(claim), {"metadata", "name"})] = VolumeUse::file_or_block;
  }
  validate_pod_claims(spec, path + ".resourceClaims", causes);
  validate_containers(spec, path + ".containers", names, causes);
  if (is_set(spec, "hostNetwork")) validate_ports_of_host(spec, path, causes);
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
  validate_deadline(spec, path, causes);
  validate_pod_tolerations(array_at(spec, {"tolerations"}), path + ".tolerations", causes);
  validate_container_resources({{"limits", object_at(spec, {"overhead"})}}, path + ".overhead",
                               causes);
}

namespace {

void warn_of_amounts(const JsonObject& container, const std::string& path,
                     std::vector<std::string>& warnings) {
  for (const std::string list : {"limits", "requests"}) {
    for (const std::string resource : {"ephemeral-storage", "memory"}) {
      const auto amount = quantity_at(container, {"resources", list, resource});
      if (!amount || amount->as_integer()) continue;
      warnings.push_back(fmt::format(
          R"({}.resources.{}[{}]: fractional byte value "{}" is invalid, must be an integer)", path,
          list, resource, amount->text()));
    }
  }
}

// Later variables of a name hide earlier ones.
void warn_of_variables(const JsonObject& container, const std::string& path,
                       std::vector<std::string>& warnings) {
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const Json& variable : array_at(container, {"env"})) {
    const std::string_view name = text_at(as_object(variable), {"name"});
    const std::string here = indexed(path + ".env", index++);
    if (names.insert(name).second) continue;
    warnings.push_back(fmt::format(
        R"({}: hides previous definition of "{}", which may be dropped when using apply)", here,
        name));
  }
}

}  // namespace

std::vector<std::string> warnings_of_pod_spec(const JsonObject& spec, const std::string& path) {
  std::vector<std::string> warnings;
  for (const std::string list : {"containers", "initContainers"}) {
    std::size_t index = 0;
    for (const Json& container : array_at(spec, {list})) {
      const std::string here = indexed(path + "." + list, index++);
      warn_of_amounts(as_object(container), here, warnings);
      warn_of_variables(as_object(container), here, warnings);
    }
  }
  if (integer_at(spec, {"terminationGracePeriodSeconds"}).value_or(0) < 0) {
    warnings.push_back(path +
                       ".terminationGracePeriodSeconds: must be >= 0; negative values are "
                       "invalid and will be treated as 1");
  }
  return warnings;
}

}  // namespace dcm::apiserver
