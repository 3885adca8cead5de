#include "playground/advice.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "apiserver/rules/strategy.hpp"
#include "playground/objects/objects.hpp"

namespace dcm::playground {
namespace {

using apiserver::array_at;
using apiserver::as_object;
using apiserver::Json;
using apiserver::JsonObject;
using apiserver::object_along;
using apiserver::object_at;
using apiserver::ObjectWrite;
using apiserver::text_at;
using By = Attended::By;

constexpr std::string_view kRealOne =
    "start dra-playground with --kube-controller-manager PATH, or run one with its kubeconfig";

// Whether a kube-controller-manager's controllers watch that kind: its garbage collector, which has
// separate clients, watches all kinds.
bool is_controlled(const ObjectWrite& made, std::string_view resource) {
  return made.watches.has_client(resource, [](std::string_view client) {
    return client.contains("kube-controller-manager") && !client.contains("metadata-informers");
  });
}

std::string idle_workload(const Attended& attended, const ObjectWrite& made) {
  if (!made.type.strategy->makes_pods()) return {};
  if (attended.workloads == By::playground) return {};
  if (is_controlled(made, made.type.storage())) return {};
  return fmt::format("no {} will be made from this {}: no kube-controller-manager is connected; {}",
                     made.type.is("CronJob") ? "jobs" : "pods", made.type.kind, kRealOne);
}

// Workload kinds whose controller is running.
std::string hollow_workload(const ObjectWrite& made) {
  if (!made.type.strategy->makes_pods()) return {};
  auto path = made.type.strategy->pod_spec_path();
  path.back() = "metadata";
  const JsonObject* const metadata = object_along(made.object, path);
  const auto is_ours = [](const auto& member) {
    return std::string_view(member.key()).starts_with(kAnnotationPrefix);
  };
  if (metadata != nullptr && std::ranges::any_of(object_at(*metadata, {"annotations"}), is_ours)) {
    return {};
  }
  if (made.type.is("CronJob") || made.type.is("Job")) {
    return fmt::format(
        "hollow nodes run no containers: pods of this {} end only if its template "
        "has the annotation {}",
        made.type.kind, kRunForAnnotation);
  }
  return fmt::format("hollow nodes run no containers: start the program of this {} yourself",
                     made.type.kind);
}

bool has_claim_templates(const JsonObject& pod_spec) {
  return std::ranges::any_of(array_at(pod_spec, {"resourceClaims"}), [](const Json& claim) {
    return !text_at(as_object(claim), {"resourceClaimTemplateName"}).empty();
  });
}

// The spec of the pod, or of the pods that the workload creates.
bool needs_claims(const ObjectWrite& made) {
  if (!made.type.is("Pod") && !made.type.strategy->makes_pods()) return false;
  const JsonObject* const spec = object_along(made.object, made.type.strategy->pod_spec_path());
  return spec != nullptr && has_claim_templates(*spec);
}

// The playground's own kube-controller-manager creates no claims.
std::string claims_of_templates(const Attended& attended, const ObjectWrite& made) {
  if (!needs_claims(made)) return {};
  constexpr auto kTemplates = "resourceclaimtemplates";
  const bool has_manager = made.watches.has_client(kTemplates, [](std::string_view client) {
    return client.contains("dra-controller-manager");
  });
  if (has_manager) return {};
  if (attended.workloads == By::others && is_controlled(made, kTemplates)) return {};
  return fmt::format(
      "no claims will be made from the claim templates of this {}: run dra-controller-manager with "
      "the playground's kubeconfig",
      made.type.kind);
}

std::string scheduler_of_pod(const Attended& attended, const ObjectWrite& made) {
  if (!made.type.is("Pod") || !text_at(made.object, {"spec", "nodeName"}).empty()) return {};
  const std::string_view name = text_at(made.object, {"spec", "schedulerName"});
  if (attended.scheduling == By::playground && name == "default-scheduler") return {};
  const bool has_scheduler = made.watches.has_client(
      "pods", [](std::string_view client) { return client.contains("scheduler"); });
  if (has_scheduler) return {};
  return fmt::format("no scheduler is connected that could place this pod (schedulerName \"{}\")",
                     name);
}

std::string needs_controller(const Attended& attended, const ObjectWrite& made) {
  struct Row {
    std::string_view kind;
    std::string_view lacks;
  };
  constexpr Row kRows[] = {
      {"PodDisruptionBudget",
       "nothing counts the pods of this budget, so that it allows no eviction"},
      {"PersistentVolumeClaim", "nothing binds this claim to a volume"},
  };
  const auto* const row = std::ranges::find(kRows, made.type.built_in(), &Row::kind);
  if (row == std::end(kRows) || attended.workloads == By::playground) return {};
  if (is_controlled(made, made.type.storage())) return {};
  return fmt::format("{}, as no kube-controller-manager is connected: {}", row->lacks, kRealOne);
}

std::string never_enforced(const ObjectWrite& made) {
  const std::string_view kind = made.type.built_in();
  if (kind == "NetworkPolicy") return "hollow nodes have no network: this policy holds nothing up";
  if (kind == "Service") {
    return "hollow nodes have no network: the address of this Service leads nowhere";
  }
  if (kind == "RoleBinding" || kind == "ClusterRoleBinding") {
    return "the playground has no authorization: everybody may do everything, whatever is bound";
  }
  return {};
}

// Fields of devices that a server drops unless it has been started with their feature gates.
struct GatedField {
  std::string_view name;
  std::string_view gate;
};
constexpr GatedField kOfSlice[] = {
    {"skipNodeOperations", "DRAOptionalNodeOperations"},
    {"partitionTypeAttribute", "DRAPartitionableDevicesType"},
};
constexpr GatedField kOfDevice[] = {{"nodeAllocatableResources", "DRANodeAllocatableResources"}};
constexpr GatedField kOfCounters[] = {{"compatibilityGroups", "DRADeviceCompatibilityGroups"}};
constexpr GatedField kOfAttribute[] = {
    {"strings", "DRAListTypeAttributes"},
    {"ints", "DRAListTypeAttributes"},
    {"bools", "DRAListTypeAttributes"},
    {"versions", "DRAListTypeAttributes"},
};

// The gates that a slice relies on, each with a field.
std::map<std::string_view, std::string_view> gates_of(const JsonObject& slice) {
  std::map<std::string_view, std::string_view> used;
  const auto look = [&](const JsonObject& object, std::span<const GatedField> fields) {
    for (const GatedField& field : fields) {
      if (object.contains(field.name)) used.emplace(field.gate, field.name);
    }
  };
  const JsonObject& spec = object_at(slice, {"spec"});
  look(spec, kOfSlice);
  for (const Json& device : array_at(spec, {"devices"})) {
    look(as_object(device), kOfDevice);
    for (const Json& counters : array_at(as_object(device), {"consumesCounters"})) {
      look(as_object(counters), kOfCounters);
    }
    for (const auto& [name, value] : object_at(as_object(device), {"attributes"})) {
      look(as_object(value), kOfAttribute);
    }
  }
  return used;
}

// One sentence for each gate. A server keeps the fields of a gate that the slice has used before.
std::vector<std::string> gated_fields(const ObjectWrite& made) {
  if (!made.type.is("ResourceSlice")) return {};
  std::map<std::string_view, std::string_view> before;
  if (made.before != nullptr) before = gates_of(*made.before);
  std::vector<std::string> sentences;
  for (const auto& [gate, field] : gates_of(made.object)) {
    if (before.contains(gate)) continue;
    sentences.push_back(fmt::format(
        "{} is an alpha field: a server drops it unless its feature gate {} is on", field, gate));
  }
  return sentences;
}

bool is_made_by_controller(const JsonObject& object) {
  return std::ranges::any_of(
      array_at(object, {"metadata", "ownerReferences"}),
      [](const Json& owner) { return as_object(owner).contains("controller"); });
}

}  // namespace

std::vector<std::string> advise(const Attended& attended, const ObjectWrite& made) {
  if (made.before != nullptr) return gated_fields(made);
  std::vector<std::string> advice;
  const auto add = [&](std::string text) {
    if (!text.empty()) advice.push_back(std::move(text));
  };
  add(claims_of_templates(attended, made));
  add(scheduler_of_pod(attended, made));
  std::ranges::move(gated_fields(made), std::back_inserter(advice));
  if (is_made_by_controller(made.object)) return advice;
  std::string idle = idle_workload(attended, made);
  add(idle.empty() ? hollow_workload(made) : std::move(idle));
  add(needs_controller(attended, made));
  add(never_enforced(made));
  return advice;
}

}  // namespace dcm::playground
