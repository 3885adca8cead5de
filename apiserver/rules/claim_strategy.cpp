// ResourceClaim and ResourceClaimTemplate: immutable specs, and a claim's status (KEP-4381).
#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/claim_spec.hpp"
#include "apiserver/rules/claim_status.hpp"
#include "apiserver/rules/default_values.hpp"
#include "apiserver/rules/metadata_rules.hpp"
#include "apiserver/rules/strategies.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kAdminLabel = "resource.kubernetes.io/admin-access";

void default_template(JsonObject& object) {
  JsonObject& spec = child(object, "spec");
  child(spec, "metadata");
  default_claim_spec(child(spec, "spec"));
}

void validate_admin_access(const JsonObject& spec, const WriteContext& context, Causes& causes) {
  const JsonArray& requests = array_at(spec, {"devices", "requests"});
  for (const auto& [request, path] : with_paths(requests, "spec.devices.requests")) {
    if (!has_true(object_at(request, {"exactly"}), "adminAccess")) continue;
    const bool is_labelled = context.ns != nullptr &&
                             text_at(*context.ns, {"metadata", "labels", kAdminLabel}) == "true";
    if (is_labelled) return;
    causes.push_back(forbidden_value(
        path + ".adminAccess",
        "admin access to devices requires the `resource.kubernetes.io/admin-access: true` label "
        "on the containing namespace"));
    return;
  }
}

class ClaimStrategy final : public StatusStrategy {
 public:
  void set_defaults(JsonObject& object, const WriteContext&) const override {
    default_claim_spec(child(object, "spec"));
    set_default_values("ResourceClaim", object);
  }

  void validate_create(const JsonObject& object, const WriteContext& context,
                       Causes& causes) const override {
    validate_admin_access(object_at(object, {"spec"}), context, causes);
    validate_claim_spec(object_at(object, {"spec"}), "spec", causes);
  }

  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                      const WriteContext& context) const override {
    StatusStrategy::prepare_update(next, old, endpoint, context);
    if (endpoint == Endpoint::status) drop_deallocated_devices(next, old);
  }

  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint endpoint,
                       Causes& causes) const override {
    if (endpoint == Endpoint::main) {
      require_same_spec(next, old, causes);
      return;
    }
    validate_claim_status(next, old, causes);
  }
};

class ClaimTemplateStrategy final : public Strategy {
 public:
  void set_defaults(JsonObject& object, const WriteContext&) const override {
    default_template(object);
  }
  void validate_create(const JsonObject& object, const WriteContext& context,
                       Causes& causes) const override {
    validate_admin_access(object_at(object, {"spec", "spec"}), context, causes);
    validate(object, causes);
  }
  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint,
                       Causes& causes) const override {
    validate(next, causes);
    require_same_spec(next, old, causes);
  }

 private:
  static void validate(const JsonObject& object, Causes& causes) {
    validate_template_metadata(object_at(object, {"spec", "metadata"}), "spec.metadata", causes);
    validate_claim_spec(object_at(object, {"spec", "spec"}), "spec.spec", causes);
  }
};

}  // namespace

const Strategy& claim_strategy() {
  static const ClaimStrategy kStrategy;
  return kStrategy;
}

const Strategy& claim_template_strategy() {
  static const ClaimTemplateStrategy kStrategy;
  return kStrategy;
}

}  // namespace dcm::apiserver
