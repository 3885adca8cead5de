#include "apiserver/fields/ownership.hpp"

#include "apiserver/fields/apply_errors.hpp"
#include "apiserver/fields/go_members.hpp"
#include "apiserver/rules/metadata_rules.hpp"
#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

namespace {

// If another manager wrote another version, the real server compares both objects in that version.
// It rejects duplicate items there and then leaves all managers unchanged, as it does where one of
// the two has no typed form.
bool cannot_be_compared(const ManagedFields& managed, const Manager& writer,
                        const ResourceType& type, const JsonObject& old, const JsonObject& next) {
  const auto is_typed = [&](const JsonObject& object) {
    return type.strategy->untyped(object).empty();
  };
  if (!is_typed(old) || !is_typed(next)) return true;
  return managed.has_other_version(writer.api_version) &&
         (has_repeated_items(type, old) || has_repeated_items(type, next));
}

FieldSet field_at(const std::vector<std::string>& steps) {
  FieldSet set;
  FieldSet* at = &set;
  for (const std::string& step : steps) at = &at->children["f:" + step];
  at->member = true;
  return set;
}

// Replicas may be elsewhere in other versions; whoever owns them there loses them as well.
void take_replicas(const ResourceType& type, const Manager& writer, ManagedFields& managed) {
  const auto paths = type.strategy->replicas_paths();
  const auto own = paths.find(writer.api_version);
  const ManagedEntry* const entry = managed.find(writer);
  if (own == paths.end() || entry == nullptr || !entry->owns_any(field_at(own->second))) return;
  for (const auto& [version, steps] : paths) {
    managed.take_from_others(writer, version, field_at(steps));
  }
}

}  // namespace

void make_as_written(const ResourceType& type, JsonObject& object, Path kept) {
  drop_empty_lists(type.is_struct() ? object : child(object, "metadata"), kept);
  drop_empty_maps(child(object, "metadata"));
  write_as_go(type.built_in(), object);
}

Manager manager_of(const Target& target, Operation operation) {
  return {target.manager, operation, std::string(subresource_of(target.endpoint)),
          target.type->api_version(target.version)};
}

void own_as_maker(const Target& target, JsonObject& object, const FieldSet* applied,
                  const std::string& now) {
  ManagedFields managed;
  if (applied != nullptr) {
    managed.set(manager_of(target, Operation::apply), *applied, now);
  } else {
    // Members that Go always writes are not a client's change.
    JsonObject nothing;
    write_as_go(target.type->built_in(), nothing);
    make_as_written(*target.type, object);
    if (target.type->strategy->untyped(object).empty()) {
      managed = tracked_update({}, nothing, object, target.type->schema(),
                               manager_of(target, Operation::update),
                               target.type->strategy->reset_fields(Endpoint::main), now);
    }
  }
  managed.write_to(object);
}

void own_as_writer(const Target& target, const JsonObject& old, JsonObject& next,
                   const std::string& now) {
  const bool is_main = target.endpoint == Endpoint::main;
  const bool is_reset = is_main && resets_managers(next);  // which may be by an empty list
  make_as_written(*target.type, next);
  if (is_reset) {
    child(next, "metadata").erase("managedFields");
    return;
  }
  ManagedFields managed(is_main && has_valid_managers(next) ? next : old);
  if (managed.empty()) managed = ManagedFields(old);
  const Manager writer = manager_of(target, Operation::update);
  if (cannot_be_compared(managed, writer, *target.type, old, next)) {
    managed = ManagedFields(old);
  } else if (!managed.empty()) {
    managed = tracked_update(std::move(managed), old, next, target.type->schema(), writer,
                             target.type->strategy->reset_fields(target.endpoint),
                             target.endpoint == Endpoint::scale ? "" : now);
    if (target.endpoint == Endpoint::scale) take_replicas(*target.type, writer, managed);
  }
  managed.write_to(next);
}

void own_before_first_apply(const Target& target, JsonObject& live, const std::string& now) {
  ManagedFields managed(live);
  if (!managed.empty()) return;
  Manager before = manager_of(target, Operation::update);
  before.name = "before-first-apply";
  JsonObject nothing;
  write_as_go(target.type->built_in(), nothing);
  managed = tracked_update({}, nothing, live, target.type->schema(), before,
                           target.type->strategy->reset_fields(target.endpoint), now);
  managed.write_to(live);
}

}  // namespace dcm::apiserver
