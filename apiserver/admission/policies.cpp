#include "apiserver/admission/policies.hpp"

#include <algorithm>
#include <expected>

#include <fmt/format.h>

#include "apiserver/admission/matching.hpp"
#include "apiserver/admission/params.hpp"
#include "apiserver/fields/conversion.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kPolicies = "validatingadmissionpolicies";
constexpr std::string_view kBindings = "validatingadmissionpolicybindings";

std::string_view name_of(const JsonObject& object) {
  return text_at(object, {"metadata", "name"});
}

bool fails_closed(const JsonObject& policy) {
  return text_at(policy, {"spec", "failurePolicy"}) != "Ignore";
}

bool acts(const JsonObject& binding, std::string_view action) {
  const JsonArray& actions = array_at(binding, {"spec", "validationActions"});
  return has_item(actions, action);
}

int code_of(std::string_view reason) {
  if (reason == "Forbidden") return 403;
  return reason == "RequestEntityTooLarge" ? 413 : 422;
}

// An object in the version that a rule names.
std::optional<JsonObject> versioned(const JsonObject* object, const MatchedResource& matched) {
  if (object == nullptr) return std::nullopt;
  JsonObject shown = *object;
  if (matched.kind.kind == matched.type->kind) {
    from_stored_version(*matched.type, matched.version, shown);
  }
  const auto& [group, version, kind] = matched.kind;
  shown["apiVersion"] = group.empty() ? version : group + "/" + version;
  shown["kind"] = kind;
  return shown;
}

const JsonObject* pointer(const std::optional<JsonObject>& object) {
  return object ? &*object : nullptr;
}

// What the expressions of one policy see of a request.
struct Shown {
  Shown(const Attributes& attributes, const MatchedResource& matched, const JsonObject* ns)
      : object(versioned(attributes.object, matched)),
        old_object(versioned(attributes.old_object, matched)),
        request(request_of(attributes, *matched.type, matched.version, matched.kind)),
        original_request(
            request_of(attributes, *attributes.type, attributes.version, matched.kind)) {
    if (ns != nullptr && !attributes.type->is("Namespace")) shown_ns = namespace_of(*ns);
  }

  Input with(const JsonObject* params) const {
    return {.object = pointer(object),
            .old_object = pointer(old_object),
            .ns = pointer(shown_ns),
            .request = &request,
            .original_request = &original_request,
            .params = params};
  }

  std::optional<JsonObject> object;
  std::optional<JsonObject> old_object;
  std::optional<JsonObject> shown_ns;
  JsonObject request;
  JsonObject original_request;
};

ApiError refusal(const Attributes& attributes, std::string_view message, std::string_view reason) {
  std::string name = attributes.name;
  if (name.empty()) name = "Unknown";
  ApiError error = forbidden(*attributes.type, name, message);
  error.reason = reason.empty() ? "Invalid" : reason;
  error.code = code_of(error.reason);
  (*error.details)["causes"] = JsonArray{JsonObject{{"message", message}}};
  return error;
}

}  // namespace

// One request on its way through the policies.
class Policies::Request {
 public:
  Request(const Policies& policies, const Attributes& attributes)
      : policies_(policies),
        attributes_(attributes),
        ns_(attributes.ns.empty() ? nullptr : policies.store_.get("namespaces", attributes.ns)) {}

  void show_to(const Hook& hook) {
    const auto matched = matches(*hook.object, {"spec", "matchConstraints"});
    if (!matched) return;
    const auto params = ParamsOf::find(*hook.object, policies_.types_);
    if (!params) return misconfigured(hook, nullptr, params.error());
    const Shown shown(attributes_, *matched, ns_.get());
    for (const Stored& binding : hook.bindings) {
      if (!has(*binding, {"spec", "matchResources"}) ||
          matches(*binding, {"spec", "matchResources"})) {
        show_to(hook, *binding, *params, shown);
      }
    }
  }

  std::optional<ApiError> refusal;
  std::vector<std::string> warnings;

 private:
  std::optional<MatchedResource> matches(const JsonObject& object, Path constraints) const {
    return match(object_at(object, constraints), attributes_, ns_.get(), policies_.types_);
  }

  void show_to(const Hook& hook, const JsonObject& binding, const ParamsOf& params,
               const Shown& shown) {
    const auto found = params.of(binding, attributes_.ns, policies_.store_);
    if (!found) return misconfigured(hook, &binding, found.error());
    for (const auto& one : *found) {
      const Verdict verdict = hook.policy->evaluate(shown.with(pointer(one)));
      for (const Denial& denial : verdict.denials) carry_out(hook, binding, denial);
      for (const Denial& denial : verdict.failed_annotations) deny(hook, &binding, denial);
    }
  }

  // `binding` is null if the policy itself is invalid.
  void misconfigured(const Hook& hook, const JsonObject* binding, std::string_view why) {
    if (!fails_closed(*hook.object)) return;
    const auto* what = binding == nullptr ? "policy" : "binding";
    deny(hook, binding, {fmt::format("failed to configure {}: {}", what, why), ""});
  }

  void carry_out(const Hook& hook, const JsonObject& binding, const Denial& denial) {
    if (acts(binding, "Deny")) deny(hook, &binding, denial);
    if (!acts(binding, "Warn")) return;
    std::string warning =
        fmt::format("Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': {}",
                    name_of(*hook.object), name_of(binding), denial.message);
    // Each warning is given once.
    if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
  }

  void deny(const Hook& hook, const JsonObject* binding, const Denial& denial) {
    if (refusal) return;
    const std::string who =
        binding == nullptr ? "" : fmt::format(" with binding '{}'", name_of(*binding));
    refusal = apiserver::refusal(attributes_,
                                 fmt::format("ValidatingAdmissionPolicy '{}'{} denied request: {}",
                                             name_of(*hook.object), who, denial.message),
                                 denial.reason);
  }

  const Policies& policies_;
  const Attributes& attributes_;
  Stored ns_;
};

bool Policies::are_there() const {
  return store_.next_change(kBindings) > 0;
}

Result<> Policies::admit(const Attributes& attributes) {
  // No policy can prevent changes of policies.
  if (attributes.type->storage() == kPolicies || attributes.type->storage() == kBindings) return {};
  refresh();
  Request request(*this, attributes);
  for (const Hook& hook : hooks_) request.show_to(hook);
  std::ranges::move(request.warnings, std::back_inserter(warnings_));
  if (request.refusal) return std::unexpected(*std::move(request.refusal));
  return {};
}

std::vector<std::string> Policies::take_warnings() {
  return std::exchange(warnings_, {});
}

void Policies::refresh() {
  const std::uint64_t changes = store_.next_change(kPolicies) + store_.next_change(kBindings);
  if (changes == seen_) return;
  seen_ = changes;
  std::vector<Hook> hooks;
  const Revision now = store_.revision();
  const auto bindings = store_.list(kBindings, "", "", now);
  for (const auto& [key, object] : store_.list(kPolicies, "", "", now)) {
    Hook hook{object, nullptr, {}};
    for (const auto& [binding_key, binding] : bindings) {
      if (text_at(*binding, {"spec", "policyName"}) == key) hook.bindings.push_back(binding);
    }
    if (hook.bindings.empty()) continue;
    hook.policy = compiled(object);
    hooks.push_back(std::move(hook));
  }
  hooks_ = std::move(hooks);
}

std::shared_ptr<const Policy> Policies::compiled(const Stored& object) const {
  const auto same = std::ranges::find(hooks_, object, &Hook::object);
  return same != hooks_.end() ? same->policy : std::make_shared<const Policy>(*object);
}

}  // namespace dcm::apiserver
