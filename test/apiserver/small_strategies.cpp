// Kinds with a rule or two each: ResourceSlice, DeviceClass, Node, Namespace, Event, Lease.
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

class SliceStrategy final : public Strategy {
 public:
  void prepare_create(JsonObject& object, const WriteContext& context) const override {
    child(object, "metadata")["generation"] = 1;
    set_times_of_taints(object, context.now);
  }

  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint,
                      const WriteContext& context) const override {
    set_times_of_taints(next, context.now);
    count_generation(next, old);
  }

  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    if (text_at(object, {"spec", "driver"}).empty()) {
      causes.push_back(required_value("spec.driver"));
    }
    if (text_at(object, {"spec", "pool", "name"}).empty()) {
      causes.push_back(required_value("spec.pool.name"));
    }
  }

  SelectableFields selectable_fields(const JsonObject& object) const override {
    return {{"spec.driver", std::string(text_at(object, {"spec", "driver"}))},
            {"spec.nodeName", std::string(text_at(object, {"spec", "nodeName"}))}};
  }
};

class ClassStrategy final : public Strategy {
 public:
  void prepare_create(JsonObject& object, const WriteContext&) const override {
    child(object, "metadata")["generation"] = 1;
  }

  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint,
                      const WriteContext&) const override {
    count_generation(next, old);
  }
};

class NodeStrategy final : public OldStatusStrategy {
 public:
  SelectableFields selectable_fields(const JsonObject& object) const override {
    const Json* off = find(object, {"spec", "unschedulable"});
    const bool unschedulable = off != nullptr && off->is_bool() && off->get_bool();
    return {{"spec.unschedulable", unschedulable ? "true" : "false"}};
  }
};

class NamespaceStrategy final : public OldStatusStrategy {
 public:
  void prepare_create(JsonObject& object, const WriteContext&) const override {
    child(object, "spec")["finalizers"] = JsonArray{"kubernetes"};
    object["status"] = JsonObject{{"phase", "Active"}};
    JsonObject& metadata = child(object, "metadata");
    const std::string name(text_at(metadata, {"name"}));
    child(metadata, "labels")["kubernetes.io/metadata.name"] = name;
  }

  SelectableFields selectable_fields(const JsonObject& object) const override {
    return {{"status.phase", std::string(text_at(object, {"status", "phase"}))}};
  }
};

class EventStrategy final : public Strategy {
 public:
  // Members that are never left out.
  void prepare_create(JsonObject& object, const WriteContext&) const override {
    child(object, "source");
    set_default(object, "reportingComponent", "");
    set_default(object, "reportingInstance", "");
  }

  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
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

template <class T>
const Strategy& single() {
  static const T kStrategy;
  return kStrategy;
}

}  // namespace

const Strategy& plain_strategy() {
  return single<Strategy>();
}
const Strategy& slice_strategy() {
  return single<SliceStrategy>();
}
const Strategy& node_strategy() {
  return single<NodeStrategy>();
}
const Strategy& class_strategy() {
  return single<ClassStrategy>();
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
