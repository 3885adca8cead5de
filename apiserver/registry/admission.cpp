// How admission policies see a write.
#include "apiserver/registry/registry.hpp"

namespace dcm::apiserver {

namespace {

JsonObject options_of(const Target& target, std::string_view operation) {
  std::string_view kind = "DeleteOptions";
  if (operation == "CREATE") kind = "CreateOptions";
  if (operation == "UPDATE") kind = "UpdateOptions";
  JsonObject options = target.options;
  options["kind"] = kind;
  options["apiVersion"] = "meta.k8s.io/v1";
  return options;
}

Attributes attributes_of(std::string_view operation, const Target& target) {
  return {.operation = operation,
          .type = target.type,
          .version = target.version,
          .subresource = std::string(subresource_of(target.endpoint)),
          .kind = {target.type->group, target.version, target.type->kind},
          .ns = target.ns,
          .name = target.name,
          .user = target.user,
          .is_dry_run = target.commit == Commit::dry_run,
          .options = options_of(target, operation)};
}

}  // namespace

bool Registry::asks_admission() const {
  return policies_.are_there() || (advice_ && webhooks_.are_there());
}

Result<> Registry::ask_policies(const Attributes& attributes) {
  auto allowed = policies_.are_there() ? policies_.admit(attributes) : Result<>();
  if (allowed && advice_) {
    for (const std::string& text : webhooks_.for_write(attributes)) warn(text);
  }
  return allowed;
}

Result<> Registry::ask_policies(std::string_view operation, const Target& target,
                                const JsonObject* object, const JsonObject* old) {
  if (!asks_admission()) return {};
  Attributes attributes = attributes_of(operation, target);
  attributes.object = object;
  attributes.old_object = old;
  if (object != nullptr && attributes.name.empty()) {
    attributes.name = text_at(*object, {"metadata", "name"});  // by now it is generated
  }
  if (target.type->is("Namespace")) attributes.ns = attributes.name;
  return ask_policies(attributes);
}

Result<> Registry::ask_policies(const Target& target, std::string_view subresource,
                                GroupVersionKind kind, const JsonObject& object) {
  if (!asks_admission()) return {};
  Attributes attributes = attributes_of("CREATE", target);
  attributes.subresource = subresource;
  attributes.kind = std::move(kind);
  JsonObject shown = object;
  child(shown, "metadata")["namespace"] = target.ns;
  attributes.object = &shown;
  return ask_policies(attributes);
}

}  // namespace dcm::apiserver
