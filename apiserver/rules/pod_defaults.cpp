#include "apiserver/rules/pod_defaults.hpp"

#include <algorithm>

#include "apiserver/rules/default_values.hpp"
#include "apiserver/rules/image_reference.hpp"

namespace dcm::apiserver {

namespace {

template <class F>
void for_each_container(JsonObject& spec, F change) {
  for (const auto* list : {"containers", "initContainers", "ephemeralContainers"}) {
    for_each_object(find(spec, {list}), change);
  }
}

// A probe's 0 means unset.
void default_probe(JsonObject& probe) {
  for (const auto* name :
       {"timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"}) {
    if (integer_at(probe, {name}) == 0) probe.erase(name);
  }
  set_default_values("Probe", probe);
}

void default_container(JsonObject& container) {
  const bool is_latest = names_latest(text_at(container, {"image"}));
  set_default(container, "imagePullPolicy", is_latest ? "Always" : "IfNotPresent");
  set_default_values("Container", container);
  for (const auto* name : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    Json* const probe = container.if_contains(name);
    if (probe != nullptr && probe->is_object()) default_probe(probe->get_object());
  }
}

void default_requests(JsonObject& resources) {
  const JsonObject limits = object_at(resources, {"limits"});
  for (const auto& [name, limit] : limits) set_default(child(resources, "requests"), name, limit);
}

void default_container_requests(JsonObject& container) {
  if (has(container, {"resources", "limits"})) default_requests(child(container, "resources"));
}

// On the host network a container uses the node's ports.
void default_host_ports(JsonObject& container) {
  for_each_object(container.if_contains("ports"), [](JsonObject& port) {
    if (!has(port, {"containerPort"})) return;
    const Json number = port["containerPort"];
    set_default(port, "hostPort", number);
  });
}

// A volume without a source is an emptyDir.
void default_volumes(JsonObject& spec) {
  for_each_object(find(spec, {"volumes"}), [](JsonObject& volume) {
    const bool is_bare = volume.size() == (has(volume, {"name"}) ? 1 : 0);
    if (is_bare) volume["emptyDir"] = JsonObject();
  });
}

// Two names of one field; the newer one wins.
void default_service_account(JsonObject& spec) {
  const std::string older(text_at(spec, {"serviceAccount"}));
  const std::string newer(text_at(spec, {"serviceAccountName"}));
  const std::string name = newer.empty() ? older : newer;
  if (name.empty()) return;
  spec["serviceAccountName"] = name;
  spec["serviceAccount"] = name;
}

bool tolerates(const JsonObject& spec, std::string_view key) {
  return std::ranges::any_of(array_at(spec, {"tolerations"}), [&](const Json& item) {
    if (!item.is_object()) return false;
    const std::string_view effect = text_at(item.get_object(), {"effect"});
    const std::string_view mine = text_at(item.get_object(), {"key"});
    return (mine == key || mine.empty()) && (effect == "NoExecute" || effect.empty());
  });
}

// A pod may stay for five minutes on a lost node, unless it says otherwise.
void add_tolerations(JsonObject& spec) {
  for (const std::string_view key :
       {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    if (tolerates(spec, key)) continue;
    child_list(spec, "tolerations")
        .push_back(JsonObject{{"key", key},
                              {"operator", "Exists"},
                              {"effect", "NoExecute"},
                              {"tolerationSeconds", 300}});
  }
}

}  // namespace

void default_template_spec(JsonObject& spec) {
  set_default_values("PodSpec", spec);
  default_service_account(spec);
  default_volumes(spec);
  for_each_container(spec, default_container);
}

void default_pod_spec(JsonObject& spec) {
  default_template_spec(spec);
  set_default(spec, "enableServiceLinks", true);
  if (integer_at(spec, {"terminationGracePeriodSeconds"}).value_or(0) < 0) {
    spec["terminationGracePeriodSeconds"] = 1;
  }
  for_each_container(spec, default_container_requests);
  if (has_true(spec, "hostNetwork")) for_each_container(spec, default_host_ports);
}

void admit_pod_spec(JsonObject& spec, const JsonObject& old) {
  for (const auto* name : {"priority", "preemptionPolicy"}) {
    if (!spec.contains(name)) restore(spec, old, name);
  }
  add_tolerations(spec);
}

void default_pod_ips(JsonObject& status) {
  const std::string one(text_at(status, {"podIP"}));
  const JsonArray& all = array_at(status, {"podIPs"});
  const std::string first(
      all.empty() || !all.front().is_object() ? "" : text_at(all.front().get_object(), {"ip"}));
  if (one.empty() && !first.empty()) {
    status["podIP"] = first;
  } else if (one != first) {
    status["podIPs"] = JsonArray{JsonObject{{"ip", one}}};
  }
}

}  // namespace dcm::apiserver
