#include "apiserver/admission/params.hpp"

#include <algorithm>

#include "apiserver/fields/conversion.hpp"
#include "apiserver/rules/label_selector.hpp"

namespace dcm::apiserver {

std::expected<ParamsOf, std::string> ParamsOf::find(const JsonObject& policy,
                                                    const ResourceTable& types) {
  ParamsOf params;
  if (!has(policy, {"spec", "paramKind"})) return params;
  const std::string_view api_version = text_at(policy, {"spec", "paramKind", "apiVersion"});
  const auto slash = api_version.find('/');
  GroupVersionKind gvk;
  if (slash != std::string_view::npos) gvk.group = api_version.substr(0, slash);
  gvk.version = api_version.substr(slash + 1);  // npos + 1 == 0
  gvk.kind = text_at(policy, {"spec", "paramKind", "kind"});
  const auto found = std::ranges::find_if(types.types(), [&](const ResourceType& type) {
    return type.group == gvk.group && type.kind == gvk.kind && type.serves(gvk.version);
  });
  if (found == types.types().end()) {
    return std::unexpected("failed to find resource referenced by paramKind: '" + gvk.text() + "'");
  }
  params.type_ = &*found;
  params.version_ = gvk.version;
  return params;
}

std::expected<std::string, std::string> ParamsOf::namespace_for(const JsonObject& reference,
                                                                std::string_view ns) const {
  const std::string_view named = text_at(reference, {"namespace"});
  if (!type_->namespaced()) {
    if (named.empty()) return "";
    return std::unexpected(
        "paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  if (!named.empty()) return std::string(named);
  if (!ns.empty()) return std::string(ns);
  return std::unexpected(
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
}

std::expected<ParamsOf::All, std::string> ParamsOf::of(const JsonObject& binding,
                                                       std::string_view ns,
                                                       const Store& store) const {
  if (type_ == nullptr || !has(binding, {"spec", "paramRef"})) return All{std::nullopt};
  const JsonObject& reference = object_at(binding, {"spec", "paramRef"});
  const auto where = namespace_for(reference, ns);
  if (!where) return std::unexpected(where.error());
  All all;
  const auto add = [&](const JsonObject& object) {
    JsonObject shown = object;
    from_stored_version(*type_, version_, shown);
    shown["apiVersion"] = type_->api_version(version_);
    shown["kind"] = type_->kind;
    all.emplace_back(std::move(shown));
  };
  if (const std::string_view name = text_at(reference, {"name"}); !name.empty()) {
    if (const Stored object = store.get(type_->storage(), object_key(*where, name))) add(*object);
  } else {
    const std::string prefix = where->empty() ? "" : *where + "/";
    const JsonObject& selector = object_at(reference, {"selector"});
    for (const auto& [key, object] : store.list(type_->storage(), prefix, "", store.revision())) {
      if (selects(&selector, object_at(*object, {"metadata", "labels"}))) add(*object);
    }
  }
  if (all.empty() && text_at(reference, {"parameterNotFoundAction"}) == "Deny") {
    return std::unexpected(
        "no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return all;
}

}  // namespace dcm::apiserver
