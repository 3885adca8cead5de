// Deleting: preconditions, finalizers and graceful deletion (k8s.io/apiserver
// registry/rest/delete.go and registry/generic/registry/store.go).
#include <algorithm>

#include <fmt/format.h>

#include "test/apiserver/registry.hpp"
#include "test/apiserver/timestamp.hpp"

namespace dcm::apiserver {

namespace {

// Grace that is left: of an earlier deletion, which can be hurried but never slowed down, or of
// this one.
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

bool is_immortal(const Target& target) {
  return target.type->kind == "Namespace" &&
         (target.name == "default" || target.name == "kube-public" || target.name == "kube-system");
}

}  // namespace

Outcome<> check_preconditions(const Target& target, const JsonObject& object,
                              const DeleteWish& wish) {
  const std::string_view uid = text_at(object, {"metadata", "uid"});
  if (!wish.uid.empty() && wish.uid != uid) {
    return std::unexpected(precondition_failed(
        *target.type, target.name,
        fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The "
                    "object might have been deleted and then recreated",
                    wish.uid, uid)));
  }
  const std::string_view version = text_at(object, {"metadata", "resourceVersion"});
  if (!wish.resource_version.empty() && wish.resource_version != version) {
    return std::unexpected(precondition_failed(
        *target.type, target.name,
        fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                    "ResourceVersion in record ({}). The object might have been modified",
                    wish.resource_version, version)));
  }
  return {};
}

// `grace` is nullopt for a namespace, which has no such thing.
Stored Registry::mark_as_deleted(const Target& target, const Stored& old,
                                 std::optional<std::int64_t> grace) {
  JsonObject next = *old;
  JsonObject& metadata = child(next, "metadata");
  metadata["deletionTimestamp"] =
      timestamp(time_.wall_now() + std::chrono::seconds(grace.value_or(0)));
  if (grace) metadata["deletionGracePeriodSeconds"] = *grace;
  if (const auto generation = integer_at(*old, {"metadata", "generation"});
      generation && !has(*old, {"metadata", "deletionTimestamp"})) {
    metadata["generation"] = *generation + 1;
  }
  if (target.type->kind == "Namespace") child(next, "status")["phase"] = "Terminating";
  if (target.commit == Commit::dry_run) return std::make_shared<const JsonObject>(std::move(next));
  return store_.put(target.type->plural, target.key(), std::move(next));
}

Outcome<Deleted> Registry::remove(const Target& target, const DeleteWish& wish) {
  if (is_immortal(target)) {
    return std::unexpected(
        forbidden(*target.type, target.name, "this namespace may not be deleted"));
  }
  auto old = get(target);
  if (!old) return std::unexpected(std::move(old.error()));
  const JsonObject& object = **old;
  if (auto ok = check_preconditions(target, object, wish); !ok) {
    return std::unexpected(std::move(ok.error()));
  }
  const bool pending = has(object, {"metadata", "deletionTimestamp"});
  const auto graceful =
      target.type->strategy->grace_seconds(object, wish.grace_seconds.value_or(-1));
  const Grace grace = decide_grace(object, graceful, wish);
  // Whoever keeps a namespace in being is its content: no controller here empties it.
  const bool is_namespace = target.type->kind == "Namespace";
  const bool held = is_namespace || !array_at(object, {"metadata", "finalizers"}).empty();
  const bool stays = held || grace.seconds > 0;

  Stored current = *old;
  if (grace.mark == Grace::Mark::write || (held && !pending)) {
    const auto seconds = is_namespace ? std::nullopt : std::optional(grace.seconds);
    current = mark_as_deleted(target, current, seconds);
  }
  if (stays) return Deleted{std::move(current), Deleted::Kind::pending};
  if (target.commit == Commit::dry_run) return Deleted{std::move(current)};
  return Deleted{store_.remove(target.type->plural, target.key())};
}

}  // namespace dcm::apiserver
