#include "apiserver/rules/pod_defaults.hpp"

#include <algorithm>

#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

namespace {

template <class F>
void for_each_container(JsonObject& spec, F change) {
  for (const auto* list : {"containers", "initContainers"}) {
    Json* containers = find(spec, {list});
    if (containers == nullptr || !containers->is_array()) continue;
    for (Json& container : containers->get_array()) {
      if (container.is_object()) change(container.get_object());
    }
  }
}

bool names_no_fixed_tag(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return false;
  const auto tag = image.rfind(':');
  const auto slash = image.rfind('/');
  const bool tagged =
      tag != std::string_view::npos && (slash == std::string_view::npos || tag > slash);
  return !tagged || image.substr(tag) == ":latest";
}

void default_container(JsonObject& container) {
  set_default(container, "terminationMessagePath", "/dev/termination-log");
  set_default(container, "terminationMessagePolicy", "File");
  const bool pull = names_no_fixed_tag(text_at(container, {"image"}));
  set_default(container, "imagePullPolicy", pull ? "Always" : "IfNotPresent");
  const JsonObject limits = object_at(container, {"resources", "limits"});
  for (const auto& [name, limit] : limits) {
    set_default(child(child(container, "resources"), "requests"), name, limit);
  }
  Json* ports = find(container, {"ports"});
  if (ports == nullptr || !ports->is_array()) return;
  for (Json& port : ports->get_array()) {
    if (port.is_object()) set_default(port.get_object(), "protocol", "TCP");
  }
}

bool tolerates(const JsonObject& spec, std::string_view key) {
  return std::ranges::any_of(array_at(spec, {"tolerations"}), [&](const Json& item) {
    if (!item.is_object()) return false;
    const std::string_view effect = text_at(item.get_object(), {"effect"});
    const std::string_view mine = text_at(item.get_object(), {"key"});
    return (mine == key || mine.empty()) && (effect == "NoExecute" || effect.empty());
  });
}

// A pod may stay for five minutes on a node that is lost, unless it says otherwise.
void add_tolerations(JsonObject& spec) {
  for (const std::string_view key :
       {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    if (tolerates(spec, key)) continue;
    Json& tolerations = spec["tolerations"];
    if (!tolerations.is_array()) tolerations = JsonArray();
    tolerations.get_array().push_back(JsonObject{
        {"key", key}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", 300}});
  }
}

}  // namespace

void default_pod_spec(JsonObject& spec) {
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(spec, "dnsPolicy", "ClusterFirst");
  set_default(spec, "schedulerName", "default-scheduler");
  set_default(spec, "enableServiceLinks", true);
  set_default(spec, "securityContext", JsonObject());
  for_each_container(spec, default_container);
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

std::string_view qos_class(const JsonObject& spec) {
  bool asks = false;
  bool all_fixed = true;
  for (const auto* list : {"containers", "initContainers"}) {
    for (const Json& item : array_at(spec, {list})) {
      if (!item.is_object()) continue;
      const JsonObject& requests = object_at(item.get_object(), {"resources", "requests"});
      const JsonObject& limits = object_at(item.get_object(), {"resources", "limits"});
      asks = asks || !requests.empty() || !limits.empty();
      all_fixed =
          all_fixed && requests == limits && limits.contains("cpu") && limits.contains("memory");
    }
  }
  return !asks ? "BestEffort" : all_fixed ? "Guaranteed" : "Burstable";
}

}  // namespace dcm::apiserver
