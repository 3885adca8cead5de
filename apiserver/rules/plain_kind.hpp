// A kind that is stored as it comes: what is particular to it, as a row, and the strategy that
// carries the row out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

struct PlainKind {
  std::string_view kind;
  // Where the spec of its pods is, if it creates any. A stored template creates none by itself.
  enum class Pods {
    none,
    of_template,
    of_optional_template,
    of_job_template,
    of_stored_template
  } pods = Pods::none;
  enum class Generation { none, counted } generation = Generation::none;
  void (*set_defaults)(JsonObject&) = nullptr;
  void (*on_create)(JsonObject&) = nullptr;
  std::vector<std::string_view> kept = {};  // fields of the spec that an update without them keeps
  NameRule name_rule = NameRule::dns_subdomain;
  CreateOnUpdate create_on_update = CreateOnUpdate::refused;
  void (*validate)(const JsonObject& next, const JsonObject* old, Causes&) = nullptr;
  std::string_view (*warning)(const JsonObject&) = nullptr;
  void (*on_update)(JsonObject& next, const JsonObject& old) = nullptr;
};

class PlainStrategy final : public OldStatusStrategy {
 public:
  // Both must outlive it. `kind`: its own kind; several kinds may share rules.
  PlainStrategy(const PlainKind& rules, std::string_view kind) : rules_(rules), kind_(kind) {}

  NameRule name_rule() const override { return rules_.name_rule; }
  CreateOnUpdate create_on_update() const override { return rules_.create_on_update; }
  bool makes_pods() const override {
    return rules_.pods != PlainKind::Pods::none &&
           rules_.pods != PlainKind::Pods::of_stored_template;
  }
  Json* pod_spec(JsonObject& object) const override;
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

  const PlainKind& rules_;
  std::string_view kind_;
};

}  // namespace dcm::apiserver
