// Updating: by a whole object, by a patch, and by a server-side apply, which may also create
// (k8s.io/apiserver registry/rest/update.go and registry/generic/registry/store.go).
#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "apiserver/fields/apply_errors.hpp"
#include "apiserver/fields/conversion.hpp"
#include "apiserver/fields/go_members.hpp"
#include "apiserver/fields/go_values.hpp"
#include "apiserver/fields/last_applied.hpp"
#include "apiserver/fields/ownership.hpp"
#include "apiserver/registry/registry.hpp"
#include "apiserver/rules/metadata_rules.hpp"

namespace dcm::apiserver {

namespace {

// Whether two objects have the same members, except `but`. Compared from the end: mostly the status
// differs.
bool same_members(const JsonObject& a, const JsonObject& b, std::string_view but) {
  const auto count = [but](const JsonObject& object) {
    return object.size() - (object.contains(but) ? 1 : 0);
  };
  return count(a) == count(b) &&
         std::ranges::all_of(a | std::views::reverse, [&](const auto& member) {
           const Json* other = b.if_contains(member.key());
           return member.key() == but || (other != nullptr && *other == member.value());
         });
}

// Whether two states differ at most in the times of their managed fields.
bool same_object(const JsonObject& a, const JsonObject& b) {
  return same_members(a, b, "metadata") &&
         same_members(object_at(a, {"metadata"}), object_at(b, {"metadata"}), "managedFields") &&
         same_managers(a, b);
}

// A copy without its managed fields.
JsonObject without_managed_fields(const JsonObject& object) {
  JsonObject copy;
  copy.reserve(object.size());
  for (const auto& [name, value] : object) {
    if (name != "metadata" || !value.is_object()) {
      copy.emplace(name, value);
      continue;
    }
    JsonObject& metadata = copy.emplace(name, JsonObject()).first->value().get_object();
    metadata.reserve(value.get_object().size());
    for (const auto& [key, member] : value.get_object()) {
      if (key != "managedFields") metadata.emplace(key, member);
    }
  }
  return copy;
}

bool leaves_for_good(const ResourceType& type, const JsonObject& next, const JsonObject& old) {
  return array_at(next, {"metadata", "finalizers"}).empty() &&
         has(old, {"metadata", "deletionTimestamp"}) &&
         integer_at(old, {"metadata", "deletionGracePeriodSeconds"}).value_or(0) == 0 &&
         (!type.is("Namespace") || array_at(next, {"spec", "finalizers"}).empty());
}

}  // namespace

Result<Stored> Registry::base_of(const Target& target) const {
  auto old = get(target);
  if (!old || target.type->unconverted() == nullptr) return old;
  return std::unexpected(
      undecodable(*target.type, text_at(**old, {"metadata", "resourceVersion"})));
}

Result<Written> Registry::replace(const Target& target, JsonObject body) {
  auto old = base_of(target);
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
  drop_nulls(*target.type, body);
  to_stored_version(*target.type, target.version, body);
  return update(target, *old, std::move(body), Update::replace);
}

Result<Written> Registry::patch(const Target& target, const Change& change, Managers managers) {
  auto old = base_of(target);
  if (!old) return std::unexpected(std::move(old.error()));
  JsonObject next = managers == Managers::shown ? **old : without_managed_fields(**old);
  from_stored_version(*target.type, target.version, next);
  if (auto changed = change(next); !changed) return std::unexpected(std::move(changed.error()));
  drop_nulls(*target.type, next);
  to_stored_version(*target.type, target.version, next);
  return update(target, *old, std::move(next), Update::patch);
}

Result<Written> Registry::rewrite(const Target& target, const Rewrite& rewrite) {
  auto old = base_of(target);
  if (!old) return std::unexpected(std::move(old.error()));
  JsonObject next = **old;
  if (auto done = rewrite(next, now()); !done) {
    return std::unexpected(std::move(done.error()));
  }
  write_as_go(target.type->built_in(), next);
  return commit_update(target, *old, std::move(next));
}

Result<Written> Registry::apply(const Target& target, JsonObject wanted, ApplyForce force) {
  const Stored old = store_.get(target.type->storage(), target.key());
  fill_nulls(wanted, target.type->fields(target.version));
  drop_nulls(*target.type, wanted);
  if (old == nullptr) {
    if (target.endpoint == Endpoint::status) {
      return std::unexpected(not_found(*target.type, target.name));
    }
    return apply_as_create(target, std::move(wanted));
  }
  if (auto base = base_of(target); !base) return std::unexpected(std::move(base.error()));
  JsonObject live = *old;
  from_stored_version(*target.type, target.version, live);
  own_before_first_apply(target, live, now());
  auto next = apply_configuration(*target.type, live,
                                  {std::move(wanted), manager_of(target, Operation::apply), force,
                                   target.type->strategy->reset_fields(target.endpoint), now()});
  if (!next) return std::unexpected(std::move(next.error()));
  if (text_at(*next, {"metadata", "name"}).empty()) {
    return std::unexpected(name_undeterminable(target.name));
  }
  to_stored_version(*target.type, target.version, *next);
  return update(target, old, std::move(*next), Update::apply);
}

Result<Written> Registry::apply_as_create(const Target& target, JsonObject wanted) {
  if (auto unique =
          check_unique_items(*target.type, wanted, target.type->api_version(target.version));
      !unique) {
    return std::unexpected(std::move(unique.error()));
  }
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
  if (auto number = check_is_number(text_at(wanted, {"metadata", "resourceVersion"})); !number) {
    return std::unexpected(std::move(number.error()));
  }
  const FieldSet claimed = claimed_fields(wanted, target.type->schema(),
                                          target.type->strategy->reset_fields(target.endpoint));
  renew_last_applied(*target.type, manager_of(target, Operation::apply), wanted, wanted);
  return make(target, std::move(wanted), &claimed);
}

Result<> Registry::check_version(const Target& target, const JsonObject& old, JsonObject& next,
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

Result<Written> Registry::update(const Target& target, const Stored& stored, JsonObject next,
                                 Update how) {
  const Stored old = as_shown(*target.type, stored);
  if (auto current = check_version(target, *old, next, how); !current) {
    return std::unexpected(std::move(current.error()));
  }
  const Strategy& strategy = *target.type->strategy;
  write_values_as_go(next, target.type->fields("v1"));
  drop_fields_of_other_versions(*target.type, next);
  set_namespace(target, child(next, "metadata"));
  strategy.set_defaults(next, context_of(target));
  if (how == Update::replace) warn(drop_repeated_owners_with_warning(child(next, "metadata")));
  if (how == Update::apply) {
    write_as_go(target.type->built_in(), next);
  } else {
    own_as_writer(target, *old, next, now());
  }
  if (auto fits = check_limits(next); !fits) return std::unexpected(std::move(fits.error()));
  // Duplicates in a patch are dropped only after they have been recorded as its manager's.
  if (how != Update::replace) warn(drop_repeated_owners_with_warning(child(next, "metadata")));
  // Only a strategy may increment the generation; its changes of other system fields are ignored.
  restore(child(next, "metadata"), object_at(*old, {"metadata"}), "generation");
  strategy.prepare_update(next, *old, target.endpoint, context_of(target));
  keep_system_metadata(next, *old);
  make_as_written(*target.type, next, {});

  Causes causes;
  validate_metadata_update(target.type->built_in(), next, *old, causes);
  strategy.validate_update(next, *old, target.endpoint, causes);
  for (const Cause& cause : causes) {
    if (cause.is_accepted) warn(joined({cause}));
  }
  std::erase_if(causes, &Cause::is_accepted);
  if (!causes.empty()) {
    return std::unexpected(invalid(*target.type, target.name, as_client_sees(causes, target)));
  }
  warn_of(target, next, old.get());
  if (auto admitted = ask_policies("UPDATE", target, &next, old.get()); !admitted) {
    return std::unexpected(std::move(admitted.error()));
  }
  if (how == Update::apply) drop_unknown(*target.type, next);
  if (target.commit == Commit::write) drop_unstored(*target.type, next);
  return commit_update(target, stored, std::move(next));
}

Result<Written> Registry::commit_update(const Target& target, const Stored& old, JsonObject next) {
  if (leaves_for_good(*target.type, next, *old)) {
    Stored last = std::make_shared<const JsonObject>(std::move(next));
    if (target.commit == Commit::write) store_.remove(target.type->storage(), target.key());
    return Written{std::move(last)};
  }
  if (same_object(next, *old)) return Written{old};
  if (target.commit == Commit::dry_run) {
    return Written{std::make_shared<const JsonObject>(std::move(next))};
  }
  return Written{store_.put(target.type->storage(), target.key(), std::move(next))};
}

}  // namespace dcm::apiserver
