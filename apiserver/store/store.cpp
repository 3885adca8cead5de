#include "apiserver/store/store.hpp"

#include <algorithm>
#include <memory>

#include "runtime/assert.hpp"

namespace dcm::apiserver {

namespace {

Stored with_revision(JsonObject object, Revision revision) {
  child(object, "metadata")["resourceVersion"] = std::to_string(revision);
  return std::make_shared<const JsonObject>(std::move(object));
}

std::size_t memory_of(const JsonObject& object);

std::size_t memory_of(const Json& value) {
  if (value.is_object()) return memory_of(value.get_object());
  if (value.is_string()) return sizeof(Json) + value.get_string().capacity();
  std::size_t bytes = sizeof(Json);
  if (!value.is_array()) return bytes;
  for (const Json& item : value.get_array()) bytes += memory_of(item);
  return bytes;
}

std::size_t memory_of(const JsonObject& object) {
  std::size_t bytes = sizeof(Json);
  for (const auto& [key, value] : object) bytes += key.size() + sizeof(Json) + memory_of(value);
  return bytes;
}

}  // namespace

Stored Change::last() const {
  return removed != nullptr ? removed : with_revision(*before, revision);
}

const Store::Table& Store::table(std::string_view resource) const {
  static const Table kEmpty;
  const auto found = tables_.find(resource);
  return found == tables_.end() ? kEmpty : found->second;
}

Store::Table& Store::table(std::string_view resource) {
  const auto found = tables_.find(resource);
  if (found != tables_.end()) return found->second;
  return tables_.emplace(std::string(resource), Table()).first->second;
}

Stored Store::get(std::string_view resource, std::string_view key) const {
  const Table& here = table(resource);
  const auto found = here.objects.find(key);
  return found == here.objects.end() ? nullptr : found->second;
}

Stored Store::put(std::string_view resource, std::string_view key, JsonObject object) {
  Table& here = table(resource);
  Stored after = with_revision(std::move(object), ++revision_);
  Stored& slot = here.objects[std::string(key)];
  Stored before = std::exchange(slot, after);
  record(resource, here, {revision_, std::string(key), std::move(before), after});
  return after;
}

Stored Store::remove(std::string_view resource, std::string_view key) {
  Table& here = table(resource);
  const auto found = here.objects.find(key);
  DCM_ASSERT(found != here.objects.end());
  Change change{++revision_, found->first, std::move(found->second), nullptr};
  here.objects.erase(found);
  Stored last = change.last();
  change.removed = last;
  record(resource, here, std::move(change));
  return last;
}

void Store::record(std::string_view resource, Table& here, Change change) {
  // The replaced state was counted when it was added: each state of an object counts once.
  change.bytes = change.after != nullptr ? memory_of(*change.after) : 0;
  here.bytes += change.bytes;
  here.history.push_back(std::move(change));
  const auto too_much = [&] {
    return here.history.size() > limits_.changes ||
           (here.bytes > limits_.bytes && here.history.size() > 1);
  };
  while (too_much()) forget_oldest(here);
  if (listener_ && !here.history.empty()) listener_(resource, here.history.back());
}

void Store::forget_oldest(Table& here) {
  const Change& oldest = here.history.front();
  here.oldest = oldest.revision;
  here.bytes -= oldest.bytes;
  here.history.pop_front();
  ++here.forgotten;
}

std::vector<Store::Entry> Store::list(std::string_view resource, std::string_view prefix,
                                      std::string_view start, Revision at) const {
  const Table& here = table(resource);
  const auto wanted = [&](std::string_view key) { return key.starts_with(prefix) && key >= start; };
  // The state at `at` of objects that have changed since: the oldest change of a key wins.
  std::map<std::string_view, Stored> then;
  for (auto change = here.history.rbegin(); change != here.history.rend(); ++change) {
    if (change->revision <= at) break;
    if (wanted(change->key)) then[change->key] = change->before;
  }
  std::vector<Entry> entries;
  auto old = then.begin();
  const auto add_old_before = [&](std::string_view key) {
    for (; old != then.end() && old->first < key; ++old) {
      if (old->second != nullptr) entries.push_back({std::string(old->first), old->second});
    }
  };
  for (auto now = here.objects.lower_bound(std::max(prefix, start)); now != here.objects.end();
       ++now) {
    if (!now->first.starts_with(prefix)) break;
    add_old_before(now->first);
    const bool has_changed = old != then.end() && old->first == now->first;
    const Stored& object = has_changed ? old->second : now->second;
    if (object != nullptr) entries.push_back({now->first, object});
    if (has_changed) ++old;
  }
  for (; old != then.end(); ++old) {
    if (old->second != nullptr) entries.push_back({std::string(old->first), old->second});
  }
  return entries;
}

std::vector<Store::Entry> Store::list_named(std::string_view resource,
                                            std::string_view name) const {
  const Table& here = table(resource);
  std::vector<Entry> entries;
  auto at = here.objects.begin();
  while (at != here.objects.end()) {
    // A look-up in each namespace, skipping to where '/' and all that follows it end.
    std::string ns = at->first.substr(0, at->first.find('/'));
    const auto found = here.objects.find(object_key(ns, name));
    if (found != here.objects.end()) entries.push_back({found->first, found->second});
    at = here.objects.lower_bound(ns += '/' + 1);
  }
  return entries;
}

bool Store::is_kept(std::string_view resource, Revision revision) const {
  return revision >= oldest_kept(resource);
}

Revision Store::oldest_kept(std::string_view resource) const {
  return std::max(compacted_, table(resource).oldest);
}

void Store::compact(Revision to) {
  compacted_ = std::max(compacted_, to);
  for (auto& [name, here] : tables_) {
    while (!here.history.empty() && here.history.front().revision <= to) forget_oldest(here);
  }
}

void Store::forget_history(std::string_view resource) {
  Table& here = table(resource);
  while (!here.history.empty()) forget_oldest(here);
}

Store::Snapshot Store::snapshot() const {
  Snapshot snapshot{revision_, {}};
  for (const auto& [name, here] : tables_) snapshot.objects[name] = here.objects;
  return snapshot;
}

void Store::restore(const Snapshot& snapshot, Revision revision) {
  DCM_ASSERT(revision >= snapshot.revision);
  for (auto& [name, here] : tables_) {
    forget_history(name);
    here.oldest = 0;
    const auto then = snapshot.objects.find(name);
    if (then == snapshot.objects.end()) {
      here.objects.clear();
    } else {
      here.objects = then->second;
    }
  }
  revision_ = compacted_ = revision;
}

std::uint64_t Store::next_change(std::string_view resource) const {
  const Table& here = table(resource);
  return here.forgotten + here.history.size();
}

std::uint64_t Store::first_change_after(std::string_view resource, Revision revision) const {
  const Table& here = table(resource);
  const auto first = std::ranges::upper_bound(here.history, revision, {}, &Change::revision);
  return here.forgotten + static_cast<std::uint64_t>(first - here.history.begin());
}

const Change* Store::change(std::string_view resource, std::uint64_t number) const {
  const Table& here = table(resource);
  if (number < here.forgotten || number >= here.forgotten + here.history.size()) return nullptr;
  return &here.history[number - here.forgotten];
}

}  // namespace dcm::apiserver
