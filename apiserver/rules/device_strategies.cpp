// The objects of drivers and administrators: ResourceSlice and DeviceClass (KEP-4381;
// k8s.io/kubernetes pkg/apis/resource/validation).
#include <fmt/format.h>

#include "apiserver/rules/device_configuration.hpp"
#include "apiserver/rules/device_counters.hpp"
#include "apiserver/rules/device_names.hpp"
#include "apiserver/rules/device_validation.hpp"
#include "apiserver/rules/names.hpp"
#include "apiserver/rules/node_selector.hpp"
#include "apiserver/rules/strategies.hpp"
#include "runtime/ascii.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::apiserver {

namespace {

// A taint without a time gets the current one, in whole seconds.
void set_times_of_taints(JsonObject& slice, runtime::WallTime now) {
  for_each_object(find(slice, {"spec", "devices"}), [now](JsonObject& device) {
    for_each_object(find(device, {"taints"}), [now](JsonObject& taint) {
      set_default(taint, "timeAdded", Json(runtime::timestamp(now)));
    });
  });
}

// A kind with a generation.
template <class Base>
class Counted : public Base {
 public:
  void prepare_create(JsonObject& object, const WriteContext&) const override {
    child(object, "metadata")["generation"] = 1;
  }
  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint,
                      const WriteContext&) const override {
    count_generation(next, old);
  }
};

class SliceStrategy final : public Counted<Strategy> {
 public:
  std::vector<std::string> warnings(const JsonObject& slice, const JsonObject*) const override {
    const std::string_view driver = text_at(slice, {"spec", "driver"});
    if (driver == runtime::lower(driver)) return {};
    return {fmt::format(
        "spec.driver: driver names should be lowercase; \"{}\" contains uppercase characters",
        driver)};
  }

  void set_defaults(JsonObject& object, const WriteContext& context) const override {
    set_times_of_taints(object, context.now);
  }

  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    validate(object_at(object, {"spec"}), nullptr, causes);
  }

  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint,
                       Causes& causes) const override {
    validate(object_at(next, {"spec"}), &object_at(old, {"spec"}), causes);
    for (const Path path : {Path{"driver"}, Path{"pool", "name"}, Path{"nodeName"}}) {
      const Json* now = find(object_at(next, {"spec"}), path);
      const Json* before = find(object_at(old, {"spec"}), path);
      if (same(now, before)) continue;
      std::string field = "spec";
      for (const auto part : path) field += "." + std::string(part);
      causes.push_back(invalid_value(field, now != nullptr ? *now : Json(), "field is immutable"));
    }
  }

 private:
  static void validate(const JsonObject& spec, const JsonObject* old_spec, Causes& causes) {
    validate_driver_name(text_at(spec, {"driver"}), "spec.driver", causes);
    validate_pool(spec, causes);
    validate_place(spec, causes);
    if (is_set(spec, "sharedCounters") && is_set(spec, "devices")) {
      causes.push_back(
          invalid_value("spec", Json(""), "only one of `sharedCounters` or `devices` is allowed"));
    }
    validate_devices(spec, old_spec, "spec.devices", causes);
    validate_shared_counters(array_at(spec, {"sharedCounters"}), "spec.sharedCounters", causes);
  }

  static void validate_pool(const JsonObject& spec, Causes& causes) {
    validate_pool_name(text_at(spec, {"pool", "name"}), "spec.pool.name", causes);
    const auto generation = integer_at(spec, {"pool", "generation"}).value_or(0);
    if (generation < 0) {
      causes.push_back(invalid_value("spec.pool.generation", Json(generation),
                                     "must be greater than or equal to zero"));
    }
    const auto count = integer_at(spec, {"pool", "resourceSliceCount"}).value_or(0);
    if (count <= 0) {
      causes.push_back(
          invalid_value("spec.pool.resourceSliceCount", Json(count), "must be greater than zero"));
    }
  }

  // Devices are on one node, on selected nodes, on all, or each states its own.
  static void validate_place(const JsonObject& spec, Causes& causes) {
    if (has(spec, {"nodeName"})) {
      const std::string_view node = text_at(spec, {"nodeName"});
      const Problems problems = node.empty()
                                    ? Problems{"must be either unset or set to a non-empty string"}
                                    : problems_with_name(NameRule::dns_subdomain, node);
      add_problems(problems, node, "spec.nodeName", causes);
    }
    if (is_set(spec, "nodeSelector")) {
      validate_node_selector(object_at(spec, {"nodeSelector"}), "spec.nodeSelector", causes);
      const std::string terms = "spec.nodeSelector.nodeSelectorTerms";
      if (const JsonArray& all = array_at(spec, {"nodeSelector", "nodeSelectorTerms"});
          all.size() != 1) {
        causes.push_back(
            invalid_value(terms, Json(all), "must have exactly one node selector term"));
      }
    }
    for (const auto* flag : {"allNodes", "perDeviceNodeSelection"}) {
      const Json* const value = spec.if_contains(flag);
      if (value == nullptr || *value != Json(false)) continue;
      causes.push_back(invalid_value(std::string("spec.") + flag, *value,
                                     "must be either unset or set to true"));
    }
    std::string set;
    std::size_t places = 0;
    for (const auto* name : {"nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"}) {
      if (!is_set(spec, name)) continue;
      set += fmt::format("{}`{}`", places++ == 0 ? "" : ", ", name);
    }
    if (places == 1) return;
    const std::string rule =
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is "
        "required";
    causes.push_back(places == 0 ? required_value("spec", rule)
                                 : invalid_value("spec", Json("{" + set + "}"),
                                                 rule + ", but multiple fields are set"));
  }

 public:
  SelectableFields selectable_fields(const JsonObject& object) const override {
    return {{"spec.driver", std::string(text_at(object, {"spec", "driver"}))},
            {"spec.nodeName", std::string(text_at(object, {"spec", "nodeName"}))},
            {"spec.pool.name", std::string(text_at(object, {"spec", "pool", "name"}))}};
  }
};

class ClassStrategy final : public Counted<UniformStrategy> {
 public:
  NameRule name_rule() const override { return NameRule::long_name; }

 private:
  void validate(const JsonObject& object, Causes& causes) const override {
    const JsonObject& spec = object_at(object, {"spec"});
    validate_device_selectors(array_at(spec, {"selectors"}), "spec.selectors", causes);
    validate_configurations(array_at(spec, {"config"}), "spec.config", causes);
    if (!has(spec, {"extendedResourceName"})) return;
    validate_extended_resource_name(text_at(spec, {"extendedResourceName"}),
                                    "spec.extendedResourceName", causes);
  }
};

}  // namespace

const Strategy& class_strategy() {
  static const ClassStrategy kStrategy;
  return kStrategy;
}

const Strategy& slice_strategy() {
  static const SliceStrategy kStrategy;
  return kStrategy;
}

}  // namespace dcm::apiserver
