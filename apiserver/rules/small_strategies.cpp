// Kinds with a rule or two each: Node, Namespace, Event, Lease.
#include <set>
#include <utility>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/pod_parts.hpp"
#include "apiserver/rules/strategies.hpp"

namespace dcm::apiserver {

namespace {

void validate_unique_addresses(const JsonArray& addresses, Causes& causes) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const auto& [address, at] : with_paths(addresses, "status.addresses")) {
    if (seen.emplace(text_at(address, {"type"}), text_at(address, {"address"})).second) continue;
    causes.push_back(duplicate_value(at, address));
  }
}

class NodeStrategy final : public OldStatusStrategy {
 public:
  void set_defaults(JsonObject& object, const WriteContext&) const override {
    const Json* capacity = find(object, {"status", "capacity"});
    if (capacity == nullptr) return;
    Json all = *capacity;
    set_default(child(object, "status"), "allocatable", std::move(all));
  }

  // The TaintNodesByCondition admission: no pod is placed before the node reports Ready.
  void prepare_create(JsonObject& object, const WriteContext&) const override {
    constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
    JsonArray& taints = child_list(child(object, "spec"), "taints");
    if (texts_of(taints, "key").contains(kNotReady)) return;
    taints.push_back(JsonObject{{"key", kNotReady}, {"effect", "NoSchedule"}});
  }

  // The real server names the field like this.
  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    validate_node_taints(array_at(object, {"spec", "taints"}), "metadata.taints", causes);
  }

  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint,
                       Causes& causes) const override {
    validate_node_taints(array_at(next, {"spec", "taints"}), "metadata.taints", causes);
    validate_unique_addresses(array_at(next, {"status", "addresses"}), causes);
    const std::string_view before = text_at(old, {"spec", "providerID"});
    const std::string_view now = text_at(next, {"spec", "providerID"});
    if (before.empty() || before == now) return;
    causes.push_back(invalid_value("spec.providerID", Json(now), "may not be changed once set"));
  }

  SelectableFields selectable_fields(const JsonObject& object) const override {
    const bool is_off = has_true(object_at(object, {"spec"}), "unschedulable");
    return {{"spec.unschedulable", is_off ? "true" : "false"}};
  }
};

class NamespaceStrategy final : public OldStatusStrategy {
 public:
  NameRule name_rule() const override { return NameRule::dns_label; }

  void prepare_create(JsonObject& object, const WriteContext&) const override {
    add_once(child_list(child(object, "spec"), "finalizers"), "kubernetes");
    object["status"] = JsonObject{{"phase", "Active"}};
    name_label(object);
  }

  void set_defaults(JsonObject& object, const WriteContext&) const override {
    set_default(child(object, "status"), "phase", "Active");
    name_label(object);
  }

  // Its finalizers change only through /finalize.
  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                      const WriteContext& context) const override {
    name_label(next);
    if (endpoint == Endpoint::finalize) {
      restore(next, old, "status");
      return;
    }
    OldStatusStrategy::prepare_update(next, old, endpoint, context);
    restore(child(next, "spec"), object_at(old, {"spec"}), "finalizers");
  }

  SelectableFields selectable_fields(const JsonObject& object) const override {
    return {{"status.phase", std::string(text_at(object, {"status", "phase"}))}};
  }

  void validate_update(const JsonObject& next, const JsonObject&, Endpoint endpoint,
                       Causes& causes) const override {
    if (endpoint != Endpoint::status) return;
    const std::string_view phase = text_at(next, {"status", "phase"});
    const bool leaves = has(next, {"metadata", "deletionTimestamp"});
    if (phase == (leaves ? "Terminating" : "Active")) return;
    causes.push_back(invalid_value("status.Phase", Json(phase),
                                   leaves
                                       ? "may only be 'Terminating' if `deletionTimestamp` is set"
                                       : "may only be 'Active' if `deletionTimestamp` is empty"));
  }

 private:
  static void name_label(JsonObject& object) {
    JsonObject& metadata = child(object, "metadata");
    const std::string name(text_at(metadata, {"name"}));
    child(metadata, "labels")["kubernetes.io/metadata.name"] = name;
  }
};

class EventStrategy final : public UniformStrategy {
 public:
  NameRule name_rule() const override { return NameRule::path_segment; }
  Dependents dependents() const override { return Dependents::unknown; }
  CreateOnUpdate create_on_update() const override { return CreateOnUpdate::allowed; }

  void validate(const JsonObject& object, Causes& causes) const override {
    const std::string_view ns = text_at(object, {"metadata", "namespace"});
    const std::string_view involved = text_at(object, {"involvedObject", "namespace"});
    const bool agrees = involved.empty() ? ns == "default" || ns == "kube-system" : involved == ns;
    if (agrees) return;
    causes.push_back(invalid_value("involvedObject.namespace", Json(involved),
                                   "does not match event.namespace"));
  }

  SelectableFields selectable_fields(const JsonObject& object) const override {
    SelectableFields fields;
    for (const auto* name :
         {"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"}) {
      fields["involvedObject." + std::string(name)] = text_at(object, {"involvedObject", name});
    }
    std::string_view source = text_at(object, {"source", "component"});
    if (source.empty()) source = text_at(object, {"reportingComponent"});
    fields["source"] = source;
    for (const auto* name : {"reason", "reportingComponent", "type"}) {
      fields[name] = text_at(object, {name});
    }
    return fields;
  }
};

class LeaseStrategy final : public UniformStrategy {
 public:
  CreateOnUpdate create_on_update() const override { return CreateOnUpdate::allowed; }

  void validate(const JsonObject& object, Causes& causes) const override {
    if (const auto seconds = integer_at(object, {"spec", "leaseDurationSeconds"});
        seconds && *seconds <= 0) {
      causes.push_back(
          invalid_value("spec.leaseDurationSeconds", Json(*seconds), "must be greater than 0"));
    }
    validate_counts(object_at(object, {"spec"}), {"leaseTransitions"}, "spec", causes);
  }
};

template <class T>
const Strategy& single() {
  static const T kStrategy;
  return kStrategy;
}

}  // namespace

const Strategy& node_strategy() {
  return single<NodeStrategy>();
}

const Strategy& namespace_strategy() {
  return single<NamespaceStrategy>();
}
const Strategy& event_strategy() {
  return single<EventStrategy>();
}
const Strategy& lease_strategy() {
  return single<LeaseStrategy>();
}

}  // namespace dcm::apiserver
