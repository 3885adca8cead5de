// Deleting: preconditions, finalizers and graceful deletion (k8s.io/apiserver
// registry/rest/delete.go and registry/generic/registry/store.go).
#include <algorithm>

#include <fmt/format.h>

#include "apiserver/registry/registry.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::apiserver {

namespace {

const Json kOrphan = "orphan";
const Json kForeground = "foregroundDeletion";

// The remaining grace period: of an earlier deletion, which can be shortened but never extended, or
// of this one.
struct Grace {
  enum class Mark { write, leave } mark;
  std::int64_t seconds = 0;
};

Grace decide_grace(const JsonObject& object, std::optional<std::int64_t> graceful,
                   const DeleteWish& wish) {
  if (!has(object, {"metadata", "deletionTimestamp"})) {
    return {graceful ? Grace::Mark::write : Grace::Mark::leave, graceful.value_or(0)};
  }
  const auto left = integer_at(object, {"metadata", "deletionGracePeriodSeconds"}).value_or(0);
  const bool hurries = wish.grace_seconds && *wish.grace_seconds < left;
  if (hurries) return {Grace::Mark::write, std::max<std::int64_t>(0, *wish.grace_seconds)};
  return {Grace::Mark::leave, left};
}

// When the deletion began: of a pending one, before its timestamp by the grace period.
runtime::WallTime begin_of_deletion(const JsonObject& metadata, runtime::WallTime now) {
  const auto end = runtime::parse_timestamp(text_at(metadata, {"deletionTimestamp"}));
  if (!end) return now;
  const auto grace = integer_at(metadata, {"deletionGracePeriodSeconds"}).value_or(0);
  return *end - runtime::bounded_seconds(grace);
}

bool is_immortal(const Target& target) {
  return target.type->is("Namespace") &&
         (target.name == "default" || target.name == "kube-public" || target.name == "kube-system");
}

// Sets the finalizers that tell whether the garbage collector must process dependents before the
// object is deleted.
void set_collector_finalizers(const Target& target, JsonObject& metadata, Propagation wish) {
  if (wish == Propagation::not_orphan && target.type->is("Namespace")) {
    wish = Propagation::foreground;
  }
  JsonArray finalizers;
  for (const Json& item : array_at(metadata, {"finalizers"})) {
    if (item != kOrphan && item != kForeground) {
      finalizers.push_back(item);
    } else if (wish == Propagation::unsaid) {
      return;  // an earlier policy is kept
    }
  }
  if (wish == Propagation::orphan) finalizers.push_back(kOrphan);
  if (wish == Propagation::foreground) finalizers.push_back(kForeground);
  if (finalizers.empty()) {
    metadata.erase("finalizers");
  } else {
    metadata["finalizers"] = std::move(finalizers);
  }
}

}  // namespace

Result<> check_preconditions(const Target& target, const JsonObject& object,
                             const DeleteWish& wish) {
  // Namespaces have a check of their own, which names the resource.
  ResourceType type = *target.type;
  if (type.is("Namespace")) type.kind = type.plural;
  const std::string_view uid = text_at(object, {"metadata", "uid"});
  if (!wish.uid.empty() && wish.uid != uid) {
    return std::unexpected(precondition_failed(
        type, target.name,
        fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The "
                    "object might have been deleted and then recreated",
                    wish.uid, uid)));
  }
  const std::string_view version = text_at(object, {"metadata", "resourceVersion"});
  if (!wish.resource_version.empty() && wish.resource_version != version) {
    return std::unexpected(precondition_failed(
        type, target.name,
        fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                    "ResourceVersion in record ({}). The object might have been modified",
                    wish.resource_version, version)));
  }
  return {};
}

// `grace` is nullopt for a namespace, which has no grace period, and keeps its generation.
void Registry::mark_as_deleted(const Target& target, JsonObject& object,
                               std::optional<std::int64_t> grace) const {
  JsonObject& metadata = child(object, "metadata");
  if (const auto generation = integer_at(metadata, {"generation"});
      generation && grace && !has(metadata, {"deletionTimestamp"})) {
    metadata["generation"] = *generation + 1;
  }
  metadata["deletionTimestamp"] = runtime::timestamp(begin_of_deletion(metadata, time_.wall_now()) +
                                                     runtime::bounded_seconds(grace.value_or(0)));
  if (grace) metadata["deletionGracePeriodSeconds"] = *grace;
  if (target.type->is("Namespace")) child(object, "status")["phase"] = "Terminating";
}

Result<> Registry::admit_deletion(const Target& target, const JsonObject& old, DeleteWish::Of of) {
  if (of == DeleteWish::Of::eviction || of == DeleteWish::Of::definition) return {};
  Target shown = target;
  if (of == DeleteWish::Of::collection) shown.name.clear();
  return ask_policies("DELETE", shown, nullptr, &old);
}

Result<Deleted> Registry::remove(const Target& target, const DeleteWish& wish) {
  if (is_immortal(target)) {
    return std::unexpected(
        forbidden(*target.type, target.name, "this namespace may not be deleted"));
  }
  auto old = read(target);
  if (!old) return std::unexpected(std::move(old.error()));
  if (auto ok = check_preconditions(target, **old, wish); !ok) {
    return std::unexpected(std::move(ok.error()));
  }
  const Strategy& strategy = *target.type->strategy;
  JsonObject next = **old;
  const bool is_pending = has(next, {"metadata", "deletionTimestamp"});
  const auto graceful = strategy.grace_seconds(next, wish.grace_seconds.value_or(-1));
  const Grace grace = decide_grace(next, graceful, wish);
  const bool is_namespace = target.type->is("Namespace");
  // A second DELETE of an object in graceful deletion, or of a namespace, changes nothing.
  const bool ends = is_namespace || (graceful && grace.seconds > 0);
  const bool is_decided = is_pending && grace.mark == Grace::Mark::leave && ends;
  if (!is_decided) {
    if (auto admitted = admit_deletion(target, **old, wish.of); !admitted) {
      return std::unexpected(std::move(admitted.error()));
    }
  }
  if (!is_pending && strategy.begin_deletion(next, now())) {
    if (target.commit != Commit::write) return Deleted{*old, Deleted::Kind::pending};
    return Deleted{store_.put(target.type->storage(), target.key(), std::move(next)),
                   Deleted::Kind::pending};
  }
  if (!is_decided && strategy.dependents() == Dependents::collected) {
    set_collector_finalizers(target, child(next, "metadata"), wish.propagation);
  }
  // A namespace is marked first, and deleted once it is empty and finalized.
  const bool is_finalized = is_pending && array_at(next, {"spec", "finalizers"}).empty();
  const bool is_held =
      (is_namespace && !is_finalized) || !array_at(next, {"metadata", "finalizers"}).empty();
  if (grace.mark == Grace::Mark::write || (is_held && !is_pending)) {
    mark_as_deleted(target, next, is_namespace ? std::nullopt : std::optional(grace.seconds));
  }
  const bool stays = is_held || grace.seconds > 0;
  const bool writes = target.commit == Commit::write;
  // An object without graceful deletion is deleted at once, unchanged.
  const bool is_at_once = !stays && grace.mark == Grace::Mark::leave;
  Stored current = *old;
  if (!is_at_once && next != **old) {
    current = writes ? store_.put(target.type->storage(), target.key(), std::move(next))
                     : std::make_shared<const JsonObject>(std::move(next));
  }
  if (stays) return Deleted{std::move(current), Deleted::Kind::pending};
  if (!writes) return Deleted{std::move(current)};
  return Deleted{store_.remove(target.type->storage(), target.key())};
}

}  // namespace dcm::apiserver
