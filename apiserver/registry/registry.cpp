#include "apiserver/registry/registry.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "apiserver/fields/conversion.hpp"
#include "apiserver/fields/go_values.hpp"
#include "apiserver/fields/ownership.hpp"
#include "apiserver/rules/metadata_rules.hpp"
#include "apiserver/rules/priority.hpp"
#include "apiserver/text/item_budget.hpp"
#include "runtime/timestamp.hpp"
#include "runtime/uuid.hpp"

namespace dcm::apiserver {

namespace {

constexpr int kNameAttempts = 8;
constexpr std::size_t kMaxNameBase = 58;

}  // namespace

// An applied object may hold unknown fields. They are validated before they are dropped.
void drop_unknown(const ResourceType& type, JsonObject& object) {
  if (type.defined != nullptr) type.defined->drop_unknown(object);
}

Result<> check_limits(const JsonObject& object) {
  const std::string excess = excess_of(object);
  if (excess.empty()) return {};
  return std::unexpected(too_large(fmt::format("the object has {}", excess)));
}

Result<> check_is_number(std::string_view version) {
  if (version.find_first_not_of("0123456789") == std::string_view::npos) return {};
  return std::unexpected(
      plain_failure(fmt::format("strconv.ParseUint: parsing \"{}\": invalid syntax", version)));
}

void set_namespace(const Target& target, JsonObject& metadata) {
  if (target.ns.empty()) {
    metadata.erase("namespace");
  } else {
    metadata["namespace"] = target.ns;
  }
}

void drop_nulls(const ResourceType& type, JsonObject& object) {
  drop_nulls(type.is_struct() ? object : child(object, "metadata"));
}

void Registry::drop_fields_of_other_versions(const ResourceType& type, JsonObject& object) {
  if (!types_.get("podgroups").versions.empty()) return;
  const auto path = type.strategy->pod_spec_path();
  JsonObject* const pods = path.empty() ? nullptr : object_along(object, path);
  if (pods == nullptr || pods->erase("schedulingGroup") == 0 || !advice_) return;
  warn(
      "spec.schedulingGroup is dropped, as on a server whose feature gate GenericWorkload is off: "
      "--runtime-config=scheduling.k8s.io/v1beta1 turns pod groups on");
}

std::string drop_repeated_owners_with_warning(JsonObject& metadata) {
  const std::string repeated = drop_repeated_owners(metadata);
  if (repeated.empty()) return {};
  return fmt::format(
      ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in "
      "1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate "
      "UID(s) observed: {}",
      repeated);
}

Causes as_client_sees(Causes causes, const Target& target) {
  Causes seen;
  std::set<std::string> texts;
  for (Cause& cause : causes) {
    cause.field = field_in_version(*target.type, target.version, std::move(cause.field));
    if (texts.insert(fmt::format("{} {} {}", cause.reason, cause.field, cause.message)).second) {
      seen.push_back(std::move(cause));
    }
  }
  return seen;
}

WriteContext Registry::context_of(const Target& target) const {
  const Stored ns = target.ns.empty() ? nullptr : store_.get("namespaces", target.ns);
  return {time_.wall_now(), ns.get()};
}

Result<Stored> Registry::get(const Target& target) const {
  Stored object = store_.get(target.type->storage(), target.key());
  if (object == nullptr) return std::unexpected(not_found(*target.type, target.name));
  return object;
}

Result<Stored> Registry::read(const Target& target) const {
  auto object = get(target);
  if (!object || target.type->unconverted() == nullptr) return object;
  return std::unexpected(
      unreadable(*target.type, target.key(), text_at(**object, {"metadata", "resourceVersion"})));
}

std::string Registry::encode(const Target& target, const Stored& object) {
  return *texts_.get(*target.type, target.version, object, target.answer);
}

void Registry::warn(const std::string& text) {
  if (!text.empty()) warnings_.push_back(text);
}

void Registry::warn_of(const Target& target, const JsonObject& next, const JsonObject* old) {
  if (target.endpoint != Endpoint::main) return;
  for (const std::string& text : target.type->strategy->warnings(next, old)) warn(text);
  if (!advice_) return;
  for (const std::string& text : advice_(*target.type, next, old)) warn(text);
}

std::vector<std::string> Registry::take_warnings() {
  std::vector<std::string> all = std::exchange(warnings_, {});
  std::ranges::move(policies_.take_warnings(), std::back_inserter(all));
  return all;
}

std::vector<Store::Entry> Registry::list(const ResourceType& type, std::string_view ns) const {
  const std::string prefix = ns.empty() ? "" : std::string(ns) + "/";
  return store_.list(type.storage(), prefix, "", store_.revision());
}

std::string Registry::now() const {
  return runtime::timestamp(time_.wall_now());
}

Result<> Registry::check_namespace(const Target& target, const JsonObject& body) const {
  if (!target.type->namespaced()) return {};
  const Stored ns = store_.get("namespaces", target.ns);
  if (ns == nullptr) return std::unexpected(not_found(types_.get("namespaces"), target.ns));
  if (!has(*ns, {"metadata", "deletionTimestamp"})) return {};
  std::string_view name = text_at(body, {"metadata", "name"});
  if (name.empty()) name = text_at(body, {"metadata", "generateName"});
  return std::unexpected(namespace_terminating(*target.type, name, target.ns));
}

Result<> Registry::choose_name(const Target& target, JsonObject& metadata) const {
  const std::string_view storage = target.type->storage();
  std::string base(text_at(metadata, {"generateName"}));
  if (!text_at(metadata, {"name"}).empty() || base.empty()) {
    const std::string_view name = text_at(metadata, {"name"});
    if (store_.get(storage, object_key(target.ns, name)) == nullptr) return {};
    // Like a real server, this does not check whether the name was generated.
    return std::unexpected(base.empty() ? already_exists(*target.type, name)
                                        : no_free_name(*target.type, name));
  }
  base.resize(std::min(base.size(), kMaxNameBase));
  std::string name;
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    name = base + random_suffix();
    metadata["name"] = name;
    if (store_.get(storage, object_key(target.ns, name)) == nullptr) return {};
  }
  return std::unexpected(no_free_name(*target.type, name));
}

void Registry::set_system_metadata(const Target& target, JsonObject& metadata) const {
  set_namespace(target, metadata);
  for (const auto* key : {"resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds",
                          "managedFields", "selfLink"}) {
    metadata.erase(key);
  }
  metadata["uid"] = runtime::make_uuid(rng_);
  metadata["creationTimestamp"] = now();
}

// Metadata of events is checked last.
Causes Registry::problems_with_new(const Target& target, const JsonObject& object) const {
  const Strategy& strategy = *target.type->strategy;
  Causes causes;
  if (!target.type->is("Event")) {
    validate_metadata(target.type->built_in(), object, strategy.name_rule(), causes);
  }
  strategy.validate_create(object, context_of(target), causes);
  if (target.type->is("Event") && causes.empty()) {
    validate_metadata(target.type->built_in(), object, strategy.name_rule(), causes);
  }
  return causes;
}

Result<> Registry::admit(const Target& target, JsonObject& body) const {
  const bool is_pod = target.type->is("Pod");
  if (!is_pod && !target.type->is("PriorityClass")) return {};
  const auto classes = store_.list("priorityclasses", "", "", store_.revision());
  const auto refused =
      is_pod ? admit_priority(child(body, "spec"), classes) : admit_priority_class(body, classes);
  if (!refused) return {};
  const std::string name(text_at(body, {"metadata", "name"}));
  return std::unexpected(forbidden(*target.type, name, *refused));
}

Result<Written> Registry::create(const Target& target, JsonObject body) {
  return make(target, std::move(body), nullptr);
}

// Gives a new object all that it has before any check.
void Registry::complete(const Target& target, JsonObject& body, const FieldSet* applied) {
  to_stored_version(*target.type, target.version, body);
  drop_nulls(*target.type, body);
  write_values_as_go(body, target.type->fields("v1"));
  drop_fields_of_other_versions(*target.type, body);
  set_system_metadata(target, child(body, "metadata"));
  warn(drop_repeated_owners_with_warning(child(body, "metadata")));
  target.type->strategy->set_defaults(body, context_of(target));
  if (applied == nullptr && ownership_ == Ownership::of_applied) {
    make_as_written(*target.type, body);
  } else {
    own_as_maker(target, body, applied, now());
  }
}

Result<> Registry::admit_new(const Target& target, JsonObject& body) {
  if (auto admitted = admit(target, body); !admitted) return admitted;
  target.type->strategy->prepare_create(body, context_of(target));
  make_as_written(*target.type, body, {});
  if (const Causes causes = problems_with_new(target, body); !causes.empty()) {
    return std::unexpected(
        invalid(*target.type, text_at(body, {"metadata", "name"}), as_client_sees(causes, target)));
  }
  warn_of(target, body, nullptr);
  return ask_policies("CREATE", target, &body, nullptr);
}

Result<Written> Registry::make(const Target& target, JsonObject body, const FieldSet* applied) {
  if (auto allowed = check_namespace(target, body); !allowed) {
    return std::unexpected(std::move(allowed.error()));
  }
  if (target.type->defined != nullptr && target.type->defined->is_terminating) {
    return std::unexpected(
        forbidden(*target.type, text_at(body, {"metadata", "name"}),
                  "create not allowed while custom resource definition is terminating"));
  }
  const std::string version(text_at(body, {"metadata", "resourceVersion"}));
  complete(target, body, applied);
  if (auto fits = check_limits(body); !fits) return std::unexpected(std::move(fits.error()));
  const auto named = choose_name(target, child(body, "metadata"));
  if (auto admitted = admit_new(target, body); !admitted) {
    return std::unexpected(std::move(admitted.error()));
  }
  // Only written objects are rejected for their version, and applied ones not even then.
  if (!version.empty() && target.commit == Commit::write && applied == nullptr) {
    return std::unexpected(
        plain_failure("resourceVersion should not be set on objects to be created"));
  }
  if (!named) return std::unexpected(named.error());
  if (const Unconverted* const why = target.type->unconverted()) {
    return std::unexpected(plain_failure(why->writing));
  }
  if (applied != nullptr) drop_unknown(*target.type, body);
  if (target.commit == Commit::dry_run) {
    if (!version.empty()) child(body, "metadata")["resourceVersion"] = version;
    return Written{std::make_shared<const JsonObject>(std::move(body)), Written::Kind::created};
  }
  drop_unstored(*target.type, body);
  const std::string key = object_key(target.ns, text_at(body, {"metadata", "name"}));
  return Written{store_.put(target.type->storage(), key, std::move(body)), Written::Kind::created};
}

std::string Registry::random_suffix() const {
  // apimachinery's alphabet: no vowels and no look-alikes, so that no words appear.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  for (int i = 0; i < 5; ++i) suffix += kAlphabet[rng_.below(kAlphabet.size())];
  return suffix;
}

}  // namespace dcm::apiserver
