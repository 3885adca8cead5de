#include "apiserver/front/garbage_collector.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {
namespace {

std::string uid_of(const JsonObject& object) {
  return std::string(text_at(object, {"metadata", "uid"}));
}

// Empty if no version of its kind is served, so that no client can delete it.
std::string path_of(const ResourceTable& types, std::string_view resource,
                    const JsonObject& object) {
  const auto& all = types.types();
  const auto found = std::ranges::find(all, resource, &ResourceType::storage);
  if (found == all.end() || found->versions.empty()) return {};
  const ResourceType& type = *found;
  const std::string root = type.group.empty() ? "/api/" : "/apis/" + type.group + "/";
  const std::string_view ns = text_at(object, {"metadata", "namespace"});
  const std::string within = type.namespaced() ? fmt::format("/namespaces/{}", ns) : "";
  return fmt::format("{}{}{}/{}/{}", root, type.versions.front(), within, type.plural,
                     text_at(object, {"metadata", "name"}));
}

}  // namespace

bool GarbageCollector::Object::has(std::string_view finalizer) const {
  return has_item(finalizers, finalizer);
}

GarbageCollector::GarbageCollector(Server& server, runtime::TimeSource& time)
    : server_(server), api_(server, "garbage-collector"), news_(time) {
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
  for (;;) {
    while (queue_.empty()) co_await news_.wait();
    const Uid uid = std::move(queue_.front());
    queue_.pop_front();
    queued_.erase(uid);
    look_at(uid);
    co_await runtime::yield();
  }
}

void GarbageCollector::observe(std::string_view resource, const Change& change) {
  const JsonObject& shown = change.after ? *change.after : *change.before;
  const Uid uid = uid_of(shown);
  forget(uid);
  if (change.after) {
    Object object;
    object.path = path_of(server_.types(), resource, shown);
    object.is_deleting = !text_at(shown, {"metadata", "deletionTimestamp"}).empty();
    object.finalizers = array_at(shown, {"metadata", "finalizers"});
    for (const Json& item : array_at(shown, {"metadata", "ownerReferences"})) {
      const JsonObject& owner = item.get_object();
      object.owners[Uid(text_at(owner, {"uid"}))] = has_true(owner, "blockOwnerDeletion");
    }
    for (const auto& [owner, blocks] : object.owners) dependents_[owner].insert(uid);
    if (object.is_deleting || !object.owners.empty()) add(uid);
    objects_.emplace(uid, std::move(object));
  } else {
    for (const Uid& dependent : dependents_of(uid)) add(dependent);
  }
}

// Forgets an object, and checks its owners again, which may be waiting for its end.
void GarbageCollector::forget(const Uid& uid) {
  const auto known = objects_.find(uid);
  if (known == objects_.end()) return;
  for (const auto& [owner, blocks] : known->second.owners) {
    const auto place = dependents_.find(owner);
    place->second.erase(uid);
    if (place->second.empty()) dependents_.erase(place);
    add(owner);
  }
  objects_.erase(known);
}

void GarbageCollector::add(const Uid& uid) {
  if (!queued_.insert(uid).second) return;
  queue_.push_back(uid);
  news_.notify_all();
}

void GarbageCollector::look_at(const Uid& uid) {
  const auto found = objects_.find(uid);
  if (found == objects_.end() || found->second.path.empty()) return;
  const Object object = found->second;  // changed below
  if (!object.is_deleting) {
    if (!object.owners.empty() && !has_owner(object)) remove(uid, "Background");
  } else if (object.has(kOrphan)) {
    orphan_dependents(uid, object);
  } else if (object.has(kForeground)) {
    delete_dependents(uid, object);
  }
}

void GarbageCollector::orphan_dependents(const Uid& uid, const Object& object) {
  for (const Uid& dependent : dependents_of(uid)) release(dependent, uid);
  if (dependents_of(uid).empty()) finish(object, kOrphan);
}

void GarbageCollector::delete_dependents(const Uid& uid, const Object& object) {
  for (const Uid& dependent : dependents_of(uid)) {
    const auto found = objects_.find(dependent);
    if (found == objects_.end() || found->second.is_deleting) continue;
    if (has_lasting_owner(found->second)) {
      release(dependent, uid);
    } else {
      remove(dependent, dependents_of(dependent).empty() ? "Background" : "Foreground");
    }
  }
  const auto left = dependents_of(uid);
  const bool is_blocked = std::ranges::any_of(left, [&](const Uid& dependent) {
    const auto found = objects_.find(dependent);
    return found != objects_.end() && found->second.owners.at(uid);
  });
  if (!is_blocked) finish(object, kForeground);
}

void GarbageCollector::release(const Uid& dependent, const Uid& owner) {
  const auto found = objects_.find(dependent);
  if (found == objects_.end()) return;
  const std::string path = found->second.path;
  const Answer now = api_.get(path);
  JsonArray others;
  for (const Json& item : array_at(now.body, {"metadata", "ownerReferences"})) {
    if (text_at(item.get_object(), {"uid"}) != owner) others.push_back(item);
  }
  // A merge patch, since custom resources support no strategic one.
  api_.patch(
      path, kMerge,
      serialize(JsonObject{{"metadata", JsonObject{{"uid", dependent},
                                                   {"resourceVersion", now.resource_version()},
                                                   {"ownerReferences", std::move(others)}}}}));
}

void GarbageCollector::remove(const Uid& uid, std::string_view propagation) {
  const std::string path = objects_.at(uid).path;
  api_.remove(path, serialize(JsonObject{{"apiVersion", "v1"},
                                         {"kind", "DeleteOptions"},
                                         {"preconditions", JsonObject{{"uid", uid}}},
                                         {"propagationPolicy", propagation}}));
}

void GarbageCollector::finish(const Object& object, std::string_view finalizer) {
  JsonArray others = object.finalizers;
  others.erase(std::ranges::remove(others, Json(finalizer)).begin(), others.end());
  api_.patch(object.path, kMerge,
             serialize(JsonObject{{"metadata", JsonObject{{"finalizers", std::move(others)}}}}));
}

std::set<GarbageCollector::Uid> GarbageCollector::dependents_of(const Uid& uid) const {
  const auto found = dependents_.find(uid);
  return found == dependents_.end() ? std::set<Uid>() : found->second;
}

bool GarbageCollector::has_owner(const Object& object) const {
  return std::ranges::any_of(object.owners,
                             [this](const auto& owner) { return objects_.contains(owner.first); });
}

bool GarbageCollector::has_lasting_owner(const Object& object) const {
  return std::ranges::any_of(object.owners, [this](const auto& owner) {
    const auto found = objects_.find(owner.first);
    return found != objects_.end() && !found->second.waits_for_dependents();
  });
}

}  // namespace dcm::apiserver
