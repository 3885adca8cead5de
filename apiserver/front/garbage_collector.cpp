#include "apiserver/front/garbage_collector.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/text/json.hpp"
#include "runtime/backoff.hpp"

namespace dcm::apiserver {
namespace {

using namespace std::chrono_literals;

constexpr runtime::Backoff kBackoff{5ms, 1min};

std::string uid_of(const JsonObject& object) {
  return std::string(text_at(object, {"metadata", "uid"}));
}

// "apps/v1" → "apps", "v1" → "".
std::string_view group_of(std::string_view api_version) {
  const auto slash = api_version.find('/');
  return slash == std::string_view::npos ? "" : api_version.substr(0, slash);
}

}  // namespace

bool GarbageCollector::Object::has(std::string_view finalizer) const {
  return has_item(finalizers, finalizer);
}

GarbageCollector::GarbageCollector(Server& server, runtime::TimeSource& time)
    : server_(server), time_(time), api_(server, "garbage-collector"), news_(time) {
  const Store& store = server_.store();
  for (const ResourceType& type : server_.types().types()) {
    for (auto& entry : store.list(type.storage(), "", "", store.revision())) {
      observe(type.storage(), {.revision = store.revision(),
                               .key = std::move(entry.key),
                               .before = nullptr,
                               .after = std::move(entry.object)});
    }
  }
  server_.on_change(
      [this](std::string_view resource, const Change& change) { observe(resource, change); });
}

GarbageCollector::~GarbageCollector() {
  server_.on_change(nullptr);
}

runtime::Task<> GarbageCollector::run() {
  while (true) {
    while (queue_.empty()) {
      co_await news_.wait(due_.empty() ? runtime::Deadline()
                                       : runtime::Deadline(due_.begin()->first));
      add_due();
    }
    const Uid uid = std::move(queue_.front());
    queue_.pop_front();
    queued_.erase(uid);
    if (look_at(uid)) {
      forget_retry(uid);
    } else {
      retry_later(uid);
    }
    co_await runtime::yield();
  }
}

void GarbageCollector::observe(std::string_view resource, const Change& change) {
  const JsonObject& shown = change.after ? *change.after : *change.before;
  const Uid uid = uid_of(shown);
  forget(uid);
  if (change.after) {
    Object object;
    object.resource = resource;
    object.ns = text_at(shown, {"metadata", "namespace"});
    object.name = text_at(shown, {"metadata", "name"});
    object.is_deleting = !text_at(shown, {"metadata", "deletionTimestamp"}).empty();
    object.finalizers = array_at(shown, {"metadata", "finalizers"});
    for (const Json& item : array_at(shown, {"metadata", "ownerReferences"})) {
      const JsonObject& owner = item.get_object();
      object.owners.push_back({.uid = Uid(text_at(owner, {"uid"})),
                               .group = std::string(group_of(text_at(owner, {"apiVersion"}))),
                               .kind = std::string(text_at(owner, {"kind"})),
                               .name = std::string(text_at(owner, {"name"})),
                               .blocks = has_true(owner, "blockOwnerDeletion")});
    }
    for (const Owner& owner : object.owners) dependents_[owner.uid].insert(uid);
    if (object.is_deleting || !object.owners.empty()) add(uid);
    const bool concerns_dependents = object.waits_for_dependents();
    objects_.emplace(uid, std::move(object));
    if (!concerns_dependents) return;
  }
  for (const Uid& dependent : dependents_of(uid)) {
    for (Owner& owner : objects_.at(dependent).owners) {
      if (owner.uid == uid) owner.is_gone = change.after == nullptr;
    }
    add(dependent);
  }
}

// Forgets an object, and checks its owners again, which may be waiting for its end.
void GarbageCollector::forget(const Uid& uid) {
  const auto known = objects_.find(uid);
  if (known == objects_.end()) return;
  for (const Owner& owner : known->second.owners) {
    add(owner.uid);
    const auto place = dependents_.find(owner.uid);
    if (place == dependents_.end()) continue;  // two references to one owner
    place->second.erase(uid);
    if (place->second.empty()) dependents_.erase(place);
  }
  objects_.erase(known);
}

void GarbageCollector::add(const Uid& uid) {
  if (!queued_.insert(uid).second) return;
  queue_.push_back(uid);
  news_.notify_all();
}

void GarbageCollector::add_due() {
  while (!due_.empty() && due_.begin()->first <= time_.now()) {
    add(due_.extract(due_.begin()).value().second);
  }
}

void GarbageCollector::retry_later(const Uid& uid) {
  Retry& retry = retries_[uid];
  due_.erase({retry.at, uid});
  retry.wait = kBackoff.after(retry.wait);
  retry.at = time_.now() + retry.wait;
  due_.emplace(retry.at, uid);
}

void GarbageCollector::forget_retry(const Uid& uid) {
  const auto found = retries_.find(uid);
  if (found == retries_.end()) return;
  due_.erase({found->second.at, uid});
  retries_.erase(found);
}

bool GarbageCollector::look_at(const Uid& uid) {
  const auto found = objects_.find(uid);
  if (found == objects_.end()) return true;
  const Object object = found->second;  // changed below
  if (!object.is_deleting) return object.owners.empty() || follow_owners(uid, object);
  if (object.has(kOrphan)) return orphan_dependents(uid);
  return !object.has(kForeground) || is_blocked(uid) || finish(uid, kForeground);
}

bool GarbageCollector::orphan_dependents(const Uid& uid) {
  bool are_released = true;
  for (const Uid& dependent : dependents_of(uid)) {
    are_released = release(dependent, {uid}) && are_released;
  }
  return are_released && finish(uid, kOrphan);
}

// attemptToDeleteItem.
bool GarbageCollector::follow_owners(const Uid& uid, const Object& object) {
  std::set<Uid> ending;
  bool has_lasting_owner = false;
  bool has_waiting_owner = false;
  for (const Owner& owner : object.owners) {
    const Standing standing = standing_of(owner, object);
    if (standing == Standing::of_unknown_kind) return false;
    if (standing == Standing::misplaced) return true;
    if (standing == Standing::stays) {
      has_lasting_owner = true;
    } else {
      ending.insert(owner.uid);
    }
    if (standing == Standing::waits_for_dependents) has_waiting_owner = true;
  }
  if (has_lasting_owner) return ending.empty() || release(uid, ending);
  if (has_waiting_owner && !dependents_of(uid).empty()) return delete_in_foreground(uid);
  return remove(uid, "Background");
}

bool GarbageCollector::delete_in_foreground(const Uid& uid) {
  // Owners that own each other would wait for each other.
  const bool is_in_circle = std::ranges::any_of(dependents_of(uid), [this](const Uid& dependent) {
    return objects_.at(dependent).waits_for_dependents();
  });
  if (is_in_circle && !unblock_owners(uid)) return false;
  return remove(uid, "Foreground");
}

bool GarbageCollector::release(const Uid& dependent, const std::set<Uid>& owners) {
  return write_owners(dependent, [&](JsonArray& references) {
    JsonArray others;
    for (const Json& item : references) {
      if (!owners.contains(Uid(text_at(item.get_object(), {"uid"})))) others.push_back(item);
    }
    references = std::move(others);
  });
}

bool GarbageCollector::unblock_owners(const Uid& dependent) {
  return write_owners(dependent, [](JsonArray& references) {
    for (Json& item : references) {
      JsonObject& owner = item.get_object();
      if (has_true(owner, "blockOwnerDeletion")) owner["blockOwnerDeletion"] = false;
    }
  });
}

bool GarbageCollector::write_owners(const Uid& dependent,
                                    const std::function<void(JsonArray&)>& change) {
  const std::string path = path_of(dependent);
  const Answer now = api_.get(path);
  if (!now.ok()) return false;
  const JsonArray& before = array_at(now.body, {"metadata", "ownerReferences"});
  JsonArray owners = before;
  change(owners);
  if (owners == before) return true;
  // A merge patch, since custom resources support no strategic one.
  return api_
      .patch(
          path, kMerge,
          serialize(JsonObject{{"metadata", JsonObject{{"uid", dependent},
                                                       {"resourceVersion", now.resource_version()},
                                                       {"ownerReferences", std::move(owners)}}}}))
      .ok();
}

bool GarbageCollector::remove(const Uid& uid, std::string_view propagation) {
  return api_
      .remove(path_of(uid), serialize(JsonObject{{"apiVersion", "v1"},
                                                 {"kind", "DeleteOptions"},
                                                 {"preconditions", JsonObject{{"uid", uid}}},
                                                 {"propagationPolicy", propagation}}))
      .ok();
}

bool GarbageCollector::finish(const Uid& uid, std::string_view finalizer) {
  const auto found = objects_.find(uid);
  if (found == objects_.end()) return true;
  JsonArray others = found->second.finalizers;
  others.erase(std::ranges::remove(others, Json(finalizer)).begin(), others.end());
  return api_
      .patch(path_of(uid), kMerge,
             serialize(JsonObject{{"metadata", JsonObject{{"finalizers", std::move(others)}}}}))
      .ok();
}

std::string GarbageCollector::path_of(const Uid& uid) const {
  const auto known = objects_.find(uid);
  if (known == objects_.end()) return {};
  const Object& object = known->second;
  const auto& types = server_.types().types();
  const auto served = std::ranges::find(types, object.resource, &ResourceType::storage);
  if (served == types.end() || served->versions.empty()) return {};
  const ResourceType& type = *served;
  const std::string root = type.group.empty() ? "/api/" : "/apis/" + type.group + "/";
  const std::string within = type.namespaced() ? fmt::format("/namespaces/{}", object.ns) : "";
  return fmt::format("{}{}{}/{}/{}", root, type.versions.front(), within, type.plural, object.name);
}

std::set<GarbageCollector::Uid> GarbageCollector::dependents_of(const Uid& uid) const {
  const auto found = dependents_.find(uid);
  return found == dependents_.end() ? std::set<Uid>() : found->second;
}

GarbageCollector::Standing GarbageCollector::standing_of(const Owner& owner,
                                                         const Object& dependent) const {
  const auto& types = server_.types().types();
  const auto type = std::ranges::find_if(types, [&](const ResourceType& one) {
    return one.group == owner.group && one.kind == owner.kind && !one.versions.empty();
  });
  if (type == types.end()) return owner.is_gone ? Standing::gone : Standing::of_unknown_kind;
  if (type->namespaced() && dependent.ns.empty()) return Standing::misplaced;
  const auto found = objects_.find(owner.uid);
  if (found == objects_.end()) return Standing::gone;
  const Object& object = found->second;
  const bool fits = object.resource == type->storage() && object.name == owner.name &&
                    (object.ns.empty() || object.ns == dependent.ns);
  if (!fits) return Standing::gone;
  return object.waits_for_dependents() ? Standing::waits_for_dependents : Standing::stays;
}

bool GarbageCollector::is_blocked(const Uid& uid) const {
  return std::ranges::any_of(dependents_of(uid), [&](const Uid& dependent) {
    return std::ranges::any_of(objects_.at(dependent).owners, [&](const Owner& owner) {
      return owner.uid == uid && owner.blocks;
    });
  });
}

}  // namespace dcm::apiserver
