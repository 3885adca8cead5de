// The strategy of a defined kind: the rules of its schema.
#pragma once

#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

struct DefinedKind;

class CustomStrategy final : public Strategy {
 public:
  // `kind` owns the strategy.
  explicit CustomStrategy(const DefinedKind& kind) : kind_(kind) {}

  void set_defaults(JsonObject& object, const WriteContext&) const override;
  void prepare_create(JsonObject& object, const WriteContext&) const override;
  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override;
  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                      const WriteContext&) const override;
  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint endpoint,
                       Causes& causes) const override;
  std::vector<std::string> warnings(const JsonObject& next, const JsonObject* old) const override;
  std::vector<std::string> reset_fields(Endpoint endpoint) const override;
  std::map<std::string, std::vector<std::string>> replicas_paths() const override;
  std::string untyped(const JsonObject& object) const override;
  SelectableFields selectable_fields(const JsonObject& object) const override;

 private:
  // With apiVersion and kind.
  Json whole(const JsonObject& object) const;
  void check_new(const Json& whole, Causes& causes) const;
  void check_changed(const Json& whole, const Json& before, Endpoint endpoint,
                     Causes& causes) const;
  void validate_scale(const JsonObject& object, Endpoint endpoint, Causes& causes) const;

  const DefinedKind& kind_;
};

}  // namespace dcm::apiserver
