#include "apiserver/rules/pod_validation.hpp"

#include <algorithm>
#include <set>

#include <arpa/inet.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/names.hpp"
#include "apiserver/rules/pod_claim_statuses.hpp"
#include "apiserver/rules/pod_spec.hpp"
#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

namespace {

// Fields that may always change: images, deadlines, tolerations, gates.
JsonObject without_mutable_fields(const JsonObject& pod) {
  JsonObject spec = object_at(pod, {"spec"});
  for (const auto* name : {"activeDeadlineSeconds", "tolerations", "schedulingGates"}) {
    spec.erase(name);
  }
  for (const auto* list : {"containers", "initContainers"}) {
    for_each_object(find(spec, {list}), [](JsonObject& container) { container.erase("image"); });
  }
  return spec;
}

// Whether further checks are useless.
enum class Verdict { go_on, stop };

Verdict validate_deadline(const JsonObject& next, const JsonObject& old, Causes& causes) {
  constexpr auto* kPath = "spec.activeDeadlineSeconds";
  const auto now = integer_at(next, {"spec", "activeDeadlineSeconds"});
  const auto before = integer_at(old, {"spec", "activeDeadlineSeconds"});
  if (now && !validate_range(*now, 0, kDeadlineMax, kPath, causes)) return Verdict::stop;
  if (!before) return Verdict::go_on;
  if (!now) {
    causes.push_back(
        invalid_value(kPath, Json(), "must not update from a positive integer to nil value"));
  } else if (*now > *before) {
    causes.push_back(
        invalid_value(kPath, Json(*now), "must be less than or equal to previous value"));
    return Verdict::stop;
  }
  return Verdict::go_on;
}

// The toleration without its seconds, with its members in a fixed order.
std::string text_of_toleration(const Json& toleration) {
  JsonArray texts;
  for (const auto* key : {"key", "operator", "value", "effect"}) {
    texts.push_back(Json(text_at(as_object(toleration), {key})));
  }
  return serialize(Json(texts));
}

void validate_tolerations(const JsonObject& next, const JsonObject& old, Causes& causes) {
  std::set<std::string> now;
  for (const Json& item : array_at(next, {"spec", "tolerations"})) {
    now.insert(text_of_toleration(item));
  }
  const bool is_kept =
      std::ranges::all_of(array_at(old, {"spec", "tolerations"}),
                          [&](const Json& item) { return now.contains(text_of_toleration(item)); });
  if (!is_kept) {
    causes.push_back(forbidden_value("spec.tolerations",
                                     "existing toleration can not be modified except its "
                                     "tolerationSeconds"));
  }
}

void validate_gates(const JsonObject& next, const JsonObject& old, Causes& causes) {
  const Texts before = texts_of(array_at(old, {"spec", "schedulingGates"}), "name");
  const JsonArray& gates = array_at(next, {"spec", "schedulingGates"});
  for (const auto& [gate, path] : with_paths(gates, "spec.schedulingGates")) {
    if (before.contains(text_at(gate, {"name"}))) continue;
    causes.push_back(
        forbidden_value(path + ".name", "only deletion is allowed, but found new scheduling gate"));
    return;
  }
}

bool is_gated(const JsonObject& pod) {
  return !array_at(pod, {"spec", "schedulingGates"}).empty();
}

// Node selection can only be narrowed.
void validate_node_selector(const JsonObject& next, const JsonObject& old, Causes& causes) {
  const JsonObject& now = object_at(next, {"spec", "nodeSelector"});
  for (const auto& [key, value] : object_at(old, {"spec", "nodeSelector"})) {
    if (const Json* still = now.if_contains(key); still != nullptr && *still == value) continue;
    causes.push_back(invalid_value("spec.nodeSelector", Json(now),
                                   "only additions to spec.nodeSelector are allowed (no deletions "
                                   "or mutations)"));
    return;
  }
}

bool is_address_of(int family, std::string_view text) {
  const std::string ip(text);
  in6_addr address;
  return inet_pton(family, ip.c_str(), &address) == 1;
}

bool is_address(std::string_view text) {
  return is_address_of(AF_INET, text) || is_address_of(AF_INET6, text);
}

// At most two addresses, one of each family.
void validate_families(const JsonArray& addresses, const std::string& path, Causes& causes) {
  if (addresses.size() < 2) return;
  const auto any_of_family = [&](int family) {
    return std::ranges::any_of(addresses, [&](const Json& item) {
      return is_address_of(family, text_at(as_object(item), {"ip"}));
    });
  };
  if (addresses.size() == 2 && any_of_family(AF_INET) && any_of_family(AF_INET6)) return;
  causes.push_back(
      invalid_value(path, Json(addresses), "may specify no more than one IP for each IP family"));
}

// Existing ones may stay unchanged.
void validate_addresses(const JsonObject& next, const JsonObject& old, const char* list,
                        Causes& causes) {
  const Texts before = texts_of(array_at(old, {"status", list}), "ip");
  const std::string path = std::string("status.") + list;
  const JsonArray& addresses = array_at(next, {"status", list});
  for (const auto& [address, at] : with_paths(addresses, path)) {
    const std::string_view ip = text_at(address, {"ip"});
    if (is_address(ip) || before.contains(ip)) continue;
    causes.push_back(invalid_value(
        at, Json(ip), "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
  }
  validate_families(addresses, path, causes);
}

void validate_generation(const JsonObject& object, const std::string& path, Causes& causes) {
  const auto generation = integer_at(object, {"observedGeneration"}).value_or(0);
  if (generation >= 0) return;
  causes.push_back(invalid_value(path + ".observedGeneration", Json(generation),
                                 "must be a non-negative integer"));
}

// Other types are label names.
void validate_pod_conditions(const JsonArray& conditions, Causes& causes) {
  for (const auto& [condition, path] : with_paths(conditions, "status.conditions")) {
    validate_generation(condition, path, causes);
    const std::string_view type = text_at(condition, {"type"});
    if (type == "PodScheduled" || type == "Ready" || type == "Initialized") continue;
    validate_qualified_name(type, path + ".Type", causes);
  }
}

void validate_pod(const JsonObject& pod, Causes& causes) {
  validate_pod_spec(object_at(pod, {"spec"}), "spec", causes);
  // Templates may have white space around an image.
  for (const std::string list : {"containers", "initContainers"}) {
    for (const auto& [container, path] :
         with_paths(array_at(pod, {"spec", list}), "spec." + list)) {
      const std::string_view image = text_at(container, {"image"});
      if (trimmed(image) == image) continue;
      causes.push_back(invalid_value(path + ".image", Json(image),
                                     "must not have leading or trailing whitespace"));
    }
  }
}

}  // namespace

void validate_new_pod(const JsonObject& pod, Causes& causes) {
  validate_pod(pod, causes);
  if (!array_at(pod, {"spec", "ephemeralContainers"}).empty()) {
    causes.push_back(forbidden_value("spec.ephemeralContainers", "cannot be set on create"));
  }
  if (!text_at(pod, {"spec", "nodeName"}).empty() && is_gated(pod)) {
    causes.push_back(forbidden_value("spec.nodeName",
                                     "cannot be set until all schedulingGates have been cleared"));
  }
}

void validate_pod_change(const JsonObject& next, const JsonObject& old, Causes& causes) {
  validate_pod(next, causes);
  if (object_at(next, {"spec"}) == object_at(old, {"spec"})) return;
  for (const std::string list : {"containers", "initContainers"}) {
    if (array_at(next, {"spec", list}).size() == array_at(old, {"spec", list}).size()) continue;
    causes.push_back(
        forbidden_value("spec." + list, "pod updates may not add or remove containers"));
    return;
  }
  if (validate_deadline(next, old, causes) == Verdict::stop) return;
  validate_tolerations(next, old, causes);
  validate_gates(next, old, causes);
  JsonObject now = without_mutable_fields(next);
  JsonObject before = without_mutable_fields(old);
  if (is_gated(old)) {
    validate_node_selector(next, old, causes);
    for (JsonObject* spec : {&now, &before}) spec->erase("nodeSelector");
  }
  if (now == before) return;
  causes.push_back(forbidden_value(
      "spec",
      "pod updates may not change fields other than "
      "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
      "`spec.tolerations` (only additions to existing tolerations),"
      "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously "
      "negative)"));
}

void validate_pod_status(const JsonObject& next, const JsonObject& old, Causes& causes) {
  const std::string_view nominated = text_at(next, {"status", "nominatedNodeName"});
  if (!nominated.empty()) {
    validate_name(NameRule::dns_subdomain, nominated, "status.nominatedNodeName", causes);
  }
  const bool is_bound = !text_at(next, {"spec", "nodeName"}).empty();
  if (is_bound && nominated != text_at(old, {"status", "nominatedNodeName"})) {
    causes.push_back(forbidden_value("status.nominatedNodeName",
                                     "may not be changed directly once the pod has a node"));
  }
  validate_generation(object_at(next, {"status"}), "status", causes);
  validate_pod_conditions(array_at(next, {"status", "conditions"}), causes);
  validate_addresses(next, old, "podIPs", causes);
  validate_addresses(next, old, "hostIPs", causes);
  const JsonArray& hosts = array_at(next, {"status", "hostIPs"});
  if (!hosts.empty() && hosts.front().is_object()) {
    const std::string_view first = text_at(hosts.front().get_object(), {"ip"});
    if (first != text_at(next, {"status", "hostIP"})) {
      causes.push_back(
          invalid_value("status.hostIPs[0].ip", Json(first), "must be equal to `hostIP`"));
    }
  }
  validate_claim_statuses(next, causes);
}

}  // namespace dcm::apiserver
