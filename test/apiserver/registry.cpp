#include "test/apiserver/registry.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "test/apiserver/apply_errors.hpp"
#include "test/apiserver/conversion.hpp"
#include "test/apiserver/go_members.hpp"
#include "test/apiserver/metadata_rules.hpp"
#include "test/apiserver/timestamp.hpp"

namespace dcm::apiserver {

namespace {

constexpr int kNameAttempts = 8;
constexpr std::size_t kMaxNameBase = 58;

// Whether two states differ in more than the times of their managed fields.
bool same_object(const JsonObject& a, const JsonObject& b) {
  JsonObject left = a;
  JsonObject right = b;
  for (JsonObject* object : {&left, &right}) child(*object, "metadata").erase("managedFields");
  return left == right && ManagedFields(a).same_as(ManagedFields(b));
}

void drop_empty_maps(JsonObject& metadata) {
  for (const auto* key : {"labels", "annotations"}) {
    if (metadata.contains(key) && object_at(metadata, {key}).empty()) metadata.erase(key);
  }
}

// As it is kept: nothing of lists and maps that hold nothing is left.
void settle(const ResourceType& type, JsonObject& object) {
  drop_empty_lists(object);
  drop_empty_maps(child(object, "metadata"));
  write_as_go(type.kind, object);
}

// As Go writes it: what its manager is said to own. A list that is never left out is there then,
// even if it is empty.
JsonObject as_written(const ResourceType& type, JsonObject object) {
  drop_empty_lists(object, {"requests"});
  drop_empty_maps(child(object, "metadata"));
  write_as_go(type.kind, object);
  return object;
}

// Causes in the words of the version that the client speaks.
Causes as_client_sees(Causes causes, const Target& target) {
  if (!needs_conversion(*target.type, target.version)) return causes;
  // What is checked by hand names the fields of the internal version, also to a client of v1beta1.
  constexpr std::string_view kNested = ".exactly.allocationMode";
  constexpr std::size_t kPart = std::string_view(".exactly").size();
  for (Cause& cause : causes) {
    if (cause.field.ends_with(kNested)) {
      cause.field.erase(cause.field.size() - kNested.size(), kPart);
    }
  }
  return causes;
}

// What is cluster-wide has no namespace, whatever the writer says.
void set_namespace(const Target& target, JsonObject& metadata) {
  if (target.ns.empty()) {
    metadata.erase("namespace");
  } else {
    metadata["namespace"] = target.ns;
  }
}

Outcome<> check_is_number(std::string_view version) {
  if (version.find_first_not_of("0123456789") == std::string_view::npos) return {};
  return std::unexpected(
      plain_failure(fmt::format("strconv.ParseUint: parsing \"{}\": invalid syntax", version)));
}

std::string_view subresource_of(Endpoint endpoint) {
  if (endpoint == Endpoint::status) return "status";
  return endpoint == Endpoint::finalize ? "finalize" : "";
}

bool leaves_for_good(const ResourceType& type, const JsonObject& next, const JsonObject& old) {
  return array_at(next, {"metadata", "finalizers"}).empty() &&
         has(old, {"metadata", "deletionTimestamp"}) &&
         integer_at(old, {"metadata", "deletionGracePeriodSeconds"}).value_or(0) == 0 &&
         (type.kind != "Namespace" || array_at(next, {"spec", "finalizers"}).empty());
}

}  // namespace

WriteContext Registry::context_of(const Target& target) const {
  const Stored ns = target.ns.empty() ? nullptr : store_.get("namespaces", target.ns);
  return {time_.wall_now(), ns.get()};
}

Manager Registry::manager_of(const Target& target, Operation operation) const {
  return {target.manager, operation, std::string(subresource_of(target.endpoint)),
          target.type->api_version(target.version)};
}

Outcome<Stored> Registry::get(const Target& target) const {
  Stored object = store_.get(target.type->plural, target.key());
  if (object == nullptr) return std::unexpected(not_found(*target.type, target.name));
  return object;
}

std::vector<Store::Entry> Registry::list(const ResourceType& type, std::string_view ns) const {
  const std::string prefix = ns.empty() ? "" : std::string(ns) + "/";
  return store_.list(type.plural, prefix, "", store_.revision());
}

std::string Registry::now() const {
  return timestamp(time_.wall_now());
}

Outcome<> Registry::check_namespace(const Target& target, const JsonObject& body) const {
  if (!target.type->namespaced()) return {};
  const Stored ns = store_.get("namespaces", target.ns);
  if (ns == nullptr) return std::unexpected(not_found(types_.get("namespaces"), target.ns));
  if (!has(*ns, {"metadata", "deletionTimestamp"})) return {};
  std::string_view name = text_at(body, {"metadata", "name"});
  if (name.empty()) name = text_at(body, {"metadata", "generateName"});
  return std::unexpected(namespace_terminating(*target.type, name, target.ns));
}

Outcome<> Registry::choose_name(const Target& target, JsonObject& metadata) const {
  const std::string_view plural = target.type->plural;
  std::string base(text_at(metadata, {"generateName"}));
  if (!text_at(metadata, {"name"}).empty() || base.empty()) {
    const std::string_view name = text_at(metadata, {"name"});
    if (store_.get(plural, object_key(target.ns, name)) == nullptr) return {};
    return std::unexpected(already_exists(*target.type, name));
  }
  base.resize(std::min(base.size(), kMaxNameBase));
  std::string name;
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    name = base + random_suffix();
    metadata["name"] = name;
    if (store_.get(plural, object_key(target.ns, name)) == nullptr) return {};
  }
  return std::unexpected(no_free_name(*target.type, name));
}

void Registry::set_system_metadata(const Target& target, JsonObject& metadata) const {
  set_namespace(target, metadata);
  for (const auto* key : {"resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds",
                          "managedFields", "selfLink"}) {
    metadata.erase(key);
  }
  metadata["uid"] = random_uid();
  metadata["creationTimestamp"] = now();
}

// Of events, the metadata is looked at only when all else is right.
Causes Registry::problems_with_new(const Target& target, const JsonObject& object) const {
  const Strategy& strategy = *target.type->strategy;
  Causes causes;
  if (target.type->kind != "Event") {
    validate_metadata(target.type->kind, object, strategy.name_rule(), causes);
  }
  strategy.validate_create(object, context_of(target), causes);
  if (target.type->kind == "Event" && causes.empty()) {
    validate_metadata(target.type->kind, object, strategy.name_rule(), causes);
  }
  return causes;
}

Outcome<Written> Registry::create(const Target& target, JsonObject body) {
  return make(target, std::move(body), nullptr);
}

Outcome<Written> Registry::make(const Target& target, JsonObject body, const FieldSet* applied) {
  if (auto allowed = check_namespace(target, body); !allowed) {
    return std::unexpected(std::move(allowed.error()));
  }
  const Strategy& strategy = *target.type->strategy;
  const WriteContext context = context_of(target);
  to_stored_version(*target.type, target.version, body);
  drop_nulls(body);
  const std::string version(text_at(body, {"metadata", "resourceVersion"}));
  set_system_metadata(target, child(body, "metadata"));
  strategy.set_defaults(body, context);
  own_as_maker(target, body, applied);
  auto named = choose_name(target, child(body, "metadata"));
  const std::string name(text_at(body, {"metadata", "name"}));
  strategy.prepare_create(body, context);
  settle(*target.type, body);

  if (const Causes causes = problems_with_new(target, body); !causes.empty()) {
    return std::unexpected(invalid(*target.type, name, as_client_sees(causes, target)));
  }
  // Only what is written is refused for its version, and what is applied not even then.
  if (!version.empty() && target.commit == Commit::write && applied == nullptr) {
    return std::unexpected(
        plain_failure("resourceVersion should not be set on objects to be created"));
  }
  if (!named) return std::unexpected(std::move(named.error()));
  if (target.commit == Commit::dry_run) {
    if (!version.empty()) child(body, "metadata")["resourceVersion"] = version;
    return Written{std::make_shared<const JsonObject>(std::move(body)), Written::Kind::created};
  }
  Stored stored = store_.put(target.type->plural, object_key(target.ns, name), std::move(body));
  return Written{std::move(stored), Written::Kind::created};
}

Outcome<Written> Registry::replace(const Target& target, JsonObject body) {
  auto old = get(target);
  if (!old && target.type->strategy->create_on_update() == CreateOnUpdate::allowed) {
    JsonObject& metadata = child(body, "metadata");
    if (!text_at(metadata, {"uid"}).empty()) {
      return std::unexpected(changed_meanwhile(*target.type, target.name));
    }
    if (auto number = check_is_number(text_at(metadata, {"resourceVersion"})); !number) {
      return std::unexpected(std::move(number.error()));
    }
    metadata.erase("resourceVersion");
    return create(target, std::move(body));
  }
  if (!old) return std::unexpected(std::move(old.error()));
  drop_nulls(body);
  to_stored_version(*target.type, target.version, body);
  return update(target, *old, std::move(body), Update::replace);
}

Outcome<Written> Registry::patch(const Target& target, const Change& change) {
  auto old = get(target);
  if (!old) return std::unexpected(std::move(old.error()));
  JsonObject next = **old;
  child(next, "metadata").erase("managedFields");
  from_stored_version(*target.type, target.version, next);
  if (auto changed = change(next); !changed) return std::unexpected(std::move(changed.error()));
  drop_nulls(next);
  to_stored_version(*target.type, target.version, next);
  return update(target, *old, std::move(next), Update::patch);
}

Outcome<Written> Registry::rewrite(const Target& target, const Rewrite& rewrite) {
  auto old = get(target);
  if (!old) return std::unexpected(std::move(old.error()));
  JsonObject next = **old;
  if (auto done = rewrite(next, now()); !done) {
    return std::unexpected(std::move(done.error()));
  }
  return commit_update(target, *old, std::move(next));
}

Outcome<Written> Registry::apply(const Target& target, JsonObject wanted, ApplyForce force) {
  const Stored old = store_.get(target.type->plural, target.key());
  drop_nulls(wanted);
  if (old == nullptr) {
    if (target.endpoint == Endpoint::status) {
      return std::unexpected(not_found(*target.type, target.name));
    }
    return apply_as_create(target, std::move(wanted));
  }
  JsonObject live = *old;
  from_stored_version(*target.type, target.version, live);
  own_before_first_apply(target, live);
  auto next = apply_configuration(*target.type, live,
                                  {std::move(wanted), manager_of(target, Operation::apply), force,
                                   target.type->strategy->reset_fields(target.endpoint), now()});
  if (!next) return std::unexpected(std::move(next.error()));
  to_stored_version(*target.type, target.version, *next);
  return update(target, old, std::move(*next), Update::apply);
}

// What was there before anybody applied belongs to a manager of that name, to be in conflict with.
void Registry::own_before_first_apply(const Target& target, JsonObject& live) const {
  ManagedFields managed(live);
  if (!managed.empty()) return;
  Manager before = manager_of(target, Operation::update);
  before.name = "before-first-apply";
  JsonObject nothing;
  write_as_go(target.type->kind, nothing);
  managed = tracked_update({}, nothing, live, target.type->schema(), before,
                           target.type->strategy->reset_fields(target.endpoint), now());
  managed.write_to(live);
}

Outcome<Written> Registry::apply_as_create(const Target& target, JsonObject wanted) {
  const std::string_view uid = text_at(wanted, {"metadata", "uid"});
  if (!uid.empty()) {
    return std::unexpected(conflict(
        *target.type, target.name,
        fmt::format("uid mismatch: the provided object specified uid {}, and no existing object "
                    "was found",
                    uid)));
  }
  if (text_at(wanted, {"metadata", "name"}).empty()) {
    return std::unexpected(name_undeterminable(target.name));
  }
  if (auto unique =
          check_unique_items(*target.type, wanted, target.type->api_version(target.version));
      !unique) {
    return std::unexpected(std::move(unique.error()));
  }
  const FieldSet claimed = claimed_fields(wanted, target.type->schema(),
                                          target.type->strategy->reset_fields(target.endpoint));
  return make(target, std::move(wanted), &claimed);
}

// What is applied belongs to the applier, and the defaults that nobody asked for to nobody; what is
// posted belongs to its maker as a whole.
void Registry::own_as_maker(const Target& target, JsonObject& object,
                            const FieldSet* applied) const {
  ManagedFields managed;
  if (applied != nullptr) {
    managed.set(manager_of(target, Operation::apply), *applied, now());
  } else {
    // What Go writes for nothing is no change that anybody made.
    JsonObject nothing;
    write_as_go(target.type->kind, nothing);
    managed = tracked_update({}, nothing, as_written(*target.type, object), target.type->schema(),
                             manager_of(target, Operation::update),
                             target.type->strategy->reset_fields(Endpoint::main), now());
  }
  managed.write_to(object);
}

// A PUT may say who manages what (it sends back what it has read, mostly); else it is as it was. An
// object that nobody manages, because its maker applied nothing, stays so until an apply.
void Registry::own_as_writer(const Target& target, const JsonObject& old, JsonObject& next) const {
  ManagedFields managed(target.endpoint == Endpoint::main ? next : old);
  if (managed.empty()) managed = ManagedFields(old);
  if (!managed.empty()) {
    managed = tracked_update(std::move(managed), old, as_written(*target.type, next),
                             target.type->schema(), manager_of(target, Operation::update),
                             target.type->strategy->reset_fields(target.endpoint), now());
  }
  managed.write_to(next);
}

Outcome<> Registry::check_version(const Target& target, const JsonObject& old, JsonObject& next,
                                  Update how) const {
  JsonObject& metadata = child(next, "metadata");
  const std::string_view uid = text_at(metadata, {"uid"});
  const std::string_view stored_uid = text_at(old, {"metadata", "uid"});
  if (how == Update::replace && !uid.empty() && uid != stored_uid) {
    return std::unexpected(
        conflict(*target.type, target.name,
                 fmt::format("StorageError: invalid object, Code: 4, Key: /registry/{}/{}, "
                             "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
                             "precondition: {}, UID in object meta: {}",
                             target.type->plural, target.key(), uid, stored_uid)));
  }
  const std::string_view version = text_at(metadata, {"resourceVersion"});
  const std::string_view stored_version = text_at(old, {"metadata", "resourceVersion"});
  if (auto number = check_is_number(version); !number) return number;
  if (version.empty() || version == "0") {
    if (target.type->unconditional_update(target.version) == UnconditionalUpdate::refused) {
      return std::unexpected(version_required(*target.type, target.name));
    }
    metadata["resourceVersion"] = stored_version;
  } else if (version != stored_version) {
    return std::unexpected(changed_meanwhile(*target.type, target.name));
  }
  return {};
}

Outcome<Written> Registry::update(const Target& target, const Stored& old, JsonObject next,
                                  Update how) {
  if (auto current = check_version(target, *old, next, how); !current) {
    return std::unexpected(std::move(current.error()));
  }
  const Strategy& strategy = *target.type->strategy;
  set_namespace(target, child(next, "metadata"));
  strategy.set_defaults(next, context_of(target));
  if (how != Update::apply) own_as_writer(target, *old, next);
  write_as_go(target.type->kind, next);
  // A strategy may count the generation up, nobody else; and what it does to the other system
  // fields does not count.
  restore(child(next, "metadata"), object_at(*old, {"metadata"}), "generation");
  strategy.prepare_update(next, *old, target.endpoint, context_of(target));
  keep_system_metadata(next, *old);
  settle(*target.type, next);

  Causes causes;
  validate_metadata_update(target.type->kind, next, *old, causes);
  strategy.validate_update(next, *old, target.endpoint, causes);
  if (!causes.empty()) {
    return std::unexpected(invalid(*target.type, target.name, as_client_sees(causes, target)));
  }
  return commit_update(target, old, std::move(next));
}

Outcome<Written> Registry::commit_update(const Target& target, const Stored& old, JsonObject next) {
  write_as_go(target.type->kind, next);
  if (leaves_for_good(*target.type, next, *old)) {
    Stored last = std::make_shared<const JsonObject>(std::move(next));
    if (target.commit == Commit::write) store_.remove(target.type->plural, target.key());
    return Written{std::move(last)};
  }
  if (same_object(next, *old)) return Written{old};
  if (target.commit == Commit::dry_run) {
    return Written{std::make_shared<const JsonObject>(std::move(next))};
  }
  return Written{store_.put(target.type->plural, target.key(), std::move(next))};
}

std::string Registry::random_suffix() const {
  // apimachinery's alphabet: no vowels and no look-alikes, so that no words come out.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  for (int i = 0; i < 5; ++i) suffix += kAlphabet[rng_.below(kAlphabet.size())];
  return suffix;
}

std::string Registry::random_uid() const {
  const std::uint64_t high = (rng_.next() & ~0xf000ULL) | 0x4000ULL;       // version 4
  const std::uint64_t low = (rng_.next() & ~(3ULL << 62)) | (2ULL << 62);  // variant 1
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xffff, low >> 48, low & 0xffffffffffffULL);
}

}  // namespace dcm::apiserver
