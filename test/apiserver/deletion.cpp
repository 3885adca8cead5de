// Deleting: preconditions, finalizers and graceful deletion (k8s.io/apiserver
// registry/rest/delete.go and registry/generic/registry/store.go).
#include <fmt/format.h>

#include "test/apiserver/registry.hpp"
#include "test/apiserver/timestamp.hpp"

namespace dcm::apiserver {

namespace {

Outcome<> check_preconditions(const ResourceType& type, std::string_view name,
                              const JsonObject& object, const DeleteWish& wish) {
  const auto check = [&](std::string_view field, std::string_view what,
                         const std::string& wanted) -> Outcome<> {
    const std::string_view there = text_at(object, {"metadata", field});
    if (wanted.empty() || wanted == there) return {};
    return std::unexpected(conflict(
        type, name,
        fmt::format("Precondition failed: {0} in precondition: {1}, {0} in object meta: {2}", what,
                    wanted, there)));
  };
  if (auto same = check("uid", "UID", wish.uid); !same) return same;
  return check("resourceVersion", "ResourceVersion", wish.resource_version);
}

// A pending deletion can be hurried, never slowed down.
bool hurries(const JsonObject& object, const DeleteWish& wish) {
  const auto pending = integer_at(object, {"metadata", "deletionGracePeriodSeconds"});
  return wish.grace_seconds && *wish.grace_seconds < pending.value_or(0);
}

}  // namespace

Stored Registry::mark_as_deleted(const Target& target, const Stored& old, std::int64_t grace) {
  JsonObject next = *old;
  JsonObject& metadata = child(next, "metadata");
  metadata["deletionTimestamp"] = timestamp(time_.wall_now() + std::chrono::seconds(grace));
  metadata["deletionGracePeriodSeconds"] = grace;
  if (const auto generation = integer_at(*old, {"metadata", "generation"});
      generation && !has(*old, {"metadata", "deletionTimestamp"})) {
    metadata["generation"] = *generation + 1;
  }
  if (target.type->kind == "Namespace") child(next, "status")["phase"] = "Terminating";
  if (target.commit == Commit::dry_run) return std::make_shared<const JsonObject>(std::move(next));
  return store_.put(target.type->plural, target.key(), std::move(next));
}

Outcome<Deleted> Registry::remove(const Target& target, const DeleteWish& wish) {
  auto old = get(target);
  if (!old) return std::unexpected(std::move(old.error()));
  const JsonObject& object = **old;
  if (auto ok = check_preconditions(*target.type, target.name, object, wish); !ok) {
    return std::unexpected(std::move(ok.error()));
  }
  const bool pending = has(object, {"metadata", "deletionTimestamp"});
  // Whoever keeps a namespace in being is its content: no controller here empties it.
  const bool finalizers =
      !array_at(object, {"metadata", "finalizers"}).empty() || target.type->kind == "Namespace";
  std::int64_t grace =
      target.type->strategy->grace_seconds(object, wish.grace_seconds.value_or(-1));
  if (pending) {
    const auto left = integer_at(object, {"metadata", "deletionGracePeriodSeconds"}).value_or(0);
    if (left > 0 && !hurries(object, wish)) return Deleted{*old, Deleted::Kind::pending};
    if (left == 0 && finalizers) return Deleted{*old, Deleted::Kind::pending};
    if (left == 0) grace = 0;
  }
  if (grace > 0 || finalizers) {
    return Deleted{mark_as_deleted(target, *old, grace), Deleted::Kind::pending};
  }
  if (target.commit == Commit::dry_run) return Deleted{*old};
  return Deleted{store_.remove(target.type->plural, target.key())};
}

}  // namespace dcm::apiserver
