// Kinds with a rule or two each: ResourceSlice, DeviceClass, Node, Namespace, Event, Lease.
#include <algorithm>
#include <set>

#include "test/apiserver/strategies.hpp"
#include "test/apiserver/timestamp.hpp"

namespace dcm::apiserver {

namespace {

// The time of a taint that was written without one is now, in whole seconds.
void set_times_of_taints(JsonObject& slice, runtime::WallTime now) {
  Json* const devices = find(slice, {"spec", "devices"});
  if (devices == nullptr || !devices->is_array()) return;
  for (Json& device : devices->get_array()) {
    Json* const taints = device.is_object() ? find(device.get_object(), {"taints"}) : nullptr;
    if (taints == nullptr || !taints->is_array()) continue;
    for (Json& taint : taints->get_array()) {
      if (taint.is_object()) set_default(taint.get_object(), "timeAdded", Json(timestamp(now)));
    }
  }
}

// A kind whose specs are counted.
class CountedStrategy : public Strategy {
 public:
  void prepare_create(JsonObject& object, const WriteContext&) const override {
    child(object, "metadata")["generation"] = 1;
  }
  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint,
                      const WriteContext&) const override {
    count_generation(next, old);
  }
};

bool is_set(const JsonObject& spec, std::string_view name) {
  const Json* value = spec.if_contains(name);
  return value != nullptr && *value != Json(false) && *value != Json("");
}

class SliceStrategy final : public CountedStrategy {
 public:
  void set_defaults(JsonObject& object, const WriteContext& context) const override {
    set_times_of_taints(object, context.now);
  }

  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    validate(object_at(object, {"spec"}), causes);
  }

  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint,
                       Causes& causes) const override {
    validate(object_at(next, {"spec"}), causes);
    for (const Path path : {Path{"driver"}, Path{"pool", "name"}, Path{"nodeName"}}) {
      const Json* now = find(object_at(next, {"spec"}), path);
      const Json* before = find(object_at(old, {"spec"}), path);
      if (now == before || (now != nullptr && before != nullptr && *now == *before)) continue;
      std::string field = "spec";
      for (const auto part : path) field += "." + std::string(part);
      causes.push_back(invalid_value(field, now != nullptr ? *now : Json(), "field is immutable"));
    }
  }

 private:
  static void validate(const JsonObject& spec, Causes& causes) {
    if (text_at(spec, {"driver"}).empty()) causes.push_back(required_value("spec.driver"));
    validate_pool(spec, causes);
    validate_place(spec, causes);
    std::set<std::string_view> names;
    std::size_t index = 0;
    for (const Json& item : array_at(spec, {"devices"})) {
      const std::string path = indexed("spec.devices", index++);
      if (!item.is_object()) continue;
      const std::string_view name = text_at(item.get_object(), {"name"});
      if (!names.insert(name).second) causes.push_back(duplicate_value(path, Json(name)));
    }
  }

  static void validate_pool(const JsonObject& spec, Causes& causes) {
    if (text_at(spec, {"pool", "name"}).empty()) causes.push_back(required_value("spec.pool.name"));
    const auto count = integer_at(spec, {"pool", "resourceSliceCount"}).value_or(0);
    if (count <= 0) {
      causes.push_back(
          invalid_value("spec.pool.resourceSliceCount", Json(count), "must be greater than zero"));
    }
  }

  // Devices are on one node, on those of a selector, on all, or each says where it is.
  static void validate_place(const JsonObject& spec, Causes& causes) {
    std::size_t places = 0;
    for (const auto* name : {"nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"}) {
      places += is_set(spec, name) ? 1 : 0;
    }
    if (places == 1) return;
    constexpr std::string_view kRule =
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is "
        "required";
    causes.push_back(places == 0 ? required_value("spec", kRule)
                                 : invalid_value("spec", Json(), kRule));
  }

 public:
  SelectableFields selectable_fields(const JsonObject& object) const override {
    return {{"spec.driver", std::string(text_at(object, {"spec", "driver"}))},
            {"spec.nodeName", std::string(text_at(object, {"spec", "nodeName"}))}};
  }
};

class NodeStrategy final : public OldStatusStrategy {
 public:
  // The TaintNodesByCondition admission: no pod comes before the node says that it is ready.
  void prepare_create(JsonObject& object, const WriteContext&) const override {
    if (const Json* capacity = find(object, {"status", "capacity"}); capacity != nullptr) {
      set_default(child(object, "status"), "allocatable", *capacity);
    }
    Json& taints = child(object, "spec")["taints"];
    if (!taints.is_array()) taints = JsonArray();
    const auto same = [](const Json& taint) {
      return taint.is_object() &&
             text_at(taint.get_object(), {"key"}) == "node.kubernetes.io/not-ready";
    };
    if (std::ranges::any_of(taints.get_array(), same)) return;
    taints.get_array().push_back(
        JsonObject{{"key", "node.kubernetes.io/not-ready"}, {"effect", "NoSchedule"}});
  }

  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint,
                       Causes& causes) const override {
    const std::string_view before = text_at(old, {"spec", "providerID"});
    const std::string_view now = text_at(next, {"spec", "providerID"});
    if (before.empty() || before == now) return;
    causes.push_back(invalid_value("spec.providerID", Json(now), "may not be changed once set"));
  }

  SelectableFields selectable_fields(const JsonObject& object) const override {
    const Json* off = find(object, {"spec", "unschedulable"});
    const bool unschedulable = off != nullptr && off->is_bool() && off->get_bool();
    return {{"spec.unschedulable", unschedulable ? "true" : "false"}};
  }
};

class NamespaceStrategy final : public OldStatusStrategy {
 public:
  NameRule name_rule() const override { return NameRule::dns_label; }

  void prepare_create(JsonObject& object, const WriteContext&) const override {
    Json& finalizers = child(object, "spec")["finalizers"];
    if (!finalizers.is_array()) finalizers = JsonArray();
    if (std::ranges::find(finalizers.get_array(), Json("kubernetes")) ==
        finalizers.get_array().end()) {
      finalizers.get_array().push_back("kubernetes");
    }
    object["status"] = JsonObject{{"phase", "Active"}};
    name_label(object);
  }

  void set_defaults(JsonObject& object, const WriteContext&) const override {
    set_default(child(object, "status"), "phase", "Active");
    name_label(object);
  }

  // Its finalizers change through /finalize alone.
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

class EventStrategy final : public Strategy {
 public:
  NameRule name_rule() const override { return NameRule::path_segment; }
  Dependents dependents() const override { return Dependents::unknown; }
  CreateOnUpdate create_on_update() const override { return CreateOnUpdate::allowed; }

  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    validate(object, causes);
  }
  void validate_update(const JsonObject& next, const JsonObject&, Endpoint,
                       Causes& causes) const override {
    validate(next, causes);
  }

  static void validate(const JsonObject& object, Causes& causes) {
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

class LeaseStrategy final : public Strategy {
 public:
  CreateOnUpdate create_on_update() const override { return CreateOnUpdate::allowed; }

  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    validate(object, causes);
  }
  void validate_update(const JsonObject& next, const JsonObject&, Endpoint,
                       Causes& causes) const override {
    validate(next, causes);
  }

 private:
  static void validate(const JsonObject& object, Causes& causes) {
    if (const auto seconds = integer_at(object, {"spec", "leaseDurationSeconds"});
        seconds && *seconds <= 0) {
      causes.push_back(
          invalid_value("spec.leaseDurationSeconds", Json(*seconds), "must be greater than 0"));
    }
    if (const auto transitions = integer_at(object, {"spec", "leaseTransitions"});
        transitions && *transitions < 0) {
      causes.push_back(invalid_value("spec.leaseTransitions", Json(*transitions),
                                     "must be greater than or equal to 0"));
    }
  }
};

class ConfigMapStrategy final : public Strategy {
 public:
  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    validate_keys(object, causes);
  }

  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint,
                       Causes& causes) const override {
    if (is_set(old, "immutable")) {
      if (!is_set(next, "immutable")) {
        causes.push_back(
            forbidden_value("immutable", "field is immutable when `immutable` is set"));
      }
      for (const auto* name : {"data", "binaryData"}) {
        if (object_at(next, {name}) == object_at(old, {name})) continue;
        causes.push_back(forbidden_value(name, "field is immutable when `immutable` is set"));
      }
    }
    validate_keys(next, causes);
  }

 private:
  static void validate_keys(const JsonObject& object, Causes& causes) {
    for (const auto* name : {"data", "binaryData"}) {
      for (const auto& [key, value] : object_at(object, {name})) {
        const std::string_view problem = problem_with_name(NameRule::config_map_key, key);
        if (problem.empty()) continue;
        causes.push_back(
            invalid_value(std::string(name) + "[" + std::string(key) + "]", Json(key), problem));
      }
    }
  }
};

template <class T>
const Strategy& single() {
  static const T kStrategy;
  return kStrategy;
}

}  // namespace

const Strategy& plain_strategy() {
  return single<Strategy>();
}
const Strategy& config_map_strategy() {
  return single<ConfigMapStrategy>();
}
const Strategy& class_strategy() {
  return single<CountedStrategy>();
}
const Strategy& slice_strategy() {
  return single<SliceStrategy>();
}
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
