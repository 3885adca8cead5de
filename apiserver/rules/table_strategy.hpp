// The rules of most kinds, as rows, and the strategy that carries a row out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

// Whether an update increments metadata.generation.
bool has_new_generation(const JsonObject& next, const JsonObject& old);

struct KindRules {
  std::string_view kind;
  // Where the spec of its pods is, if it has any. A stored template creates none by itself.
  std::vector<std::string_view> pod_spec = {};
  // Whether an object without a pod template gets an empty one.
  enum class Template { required, optional } pod_template = Template::required;
  enum class Generation { none, counted } generation = Generation::none;
  void (*set_defaults)(JsonObject&) = nullptr;
  void (*on_create)(JsonObject&) = nullptr;
  std::vector<std::string_view> kept = {};  // fields of the spec that an update without them keeps
  NameRule name_rule = NameRule::dns_subdomain;
  CreateOnUpdate create_on_update = CreateOnUpdate::refused;
  void (*validate)(const JsonObject& next, const JsonObject* old, Causes&) = nullptr;
  std::string_view (*warning)(const JsonObject&) = nullptr;
  void (*on_update)(JsonObject& next, const JsonObject& old) = nullptr;
  // Whether an update repeats the warnings about the pod template.
  bool (*warns_again)(const JsonObject& next, const JsonObject& old) = has_new_generation;
  SelectableFields (*selectable_fields)(const JsonObject&) = nullptr;
};

class TableStrategy final : public OldStatusStrategy {
 public:
  // Both must outlive it. `kind`: its own kind; several kinds may share rules.
  TableStrategy(const KindRules& rules, std::string_view kind) : rules_(rules), kind_(kind) {}

  NameRule name_rule() const override { return rules_.name_rule; }
  CreateOnUpdate create_on_update() const override { return rules_.create_on_update; }
  bool makes_pods() const override {
    return !rules_.pod_spec.empty() && rules_.pod_spec.front() == "spec";
  }
  std::vector<std::string_view> pod_spec_path() const override { return rules_.pod_spec; }
  std::vector<std::string> warnings(const JsonObject& object, const JsonObject*) const override;
  void set_defaults(JsonObject& object, const WriteContext&) const override;
  void prepare_create(JsonObject& object, const WriteContext&) const override;
  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                      const WriteContext& context) const override;
  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override;
  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint endpoint,
                       Causes& causes) const override;
  SelectableFields selectable_fields(const JsonObject& object) const override;

 private:
  JsonObject begin_status() const;

  const KindRules& rules_;
  std::string_view kind_;
};

}  // namespace dcm::apiserver
