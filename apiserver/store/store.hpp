// The stored objects and their history: what etcd and the watch cache are to a real API server.
//
// One revision counter serves all resources. Each write adds a Change to its resource's history,
// which is bounded: a version older than the history can no longer be watched or listed (410).
// Objects are immutable once stored, and are kept without `apiVersion` and `kind`, which every
// answer takes from the request's path.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/model/stored.hpp"

namespace dcm::apiserver {

struct Change {
  Revision revision;
  std::string key;
  Stored before;          // null: it was created
  Stored after;           // null: it was deleted
  Stored removed = {};    // then its last state, with the revision of this change
  std::size_t bytes = 0;  // approximate memory held in the history because of it

  // The previous state, with the revision of this change: what a watch shows of an object that was
  // deleted or no longer matches its selector. Requires `before`.
  Stored last() const;
};

// How much history a resource keeps, at least the newest change.
struct HistoryLimits {
  std::size_t changes = 100'000;
  // Approximate size of the objects in it, so that memory is bounded whatever their size.
  std::size_t bytes = 512 * 1024 * 1024;
};

class Store {
 public:
  struct Entry {
    std::string key;
    Stored object;
  };

  // Revisions continue from `first`; earlier ones are not kept.
  Store(HistoryLimits limits, Revision first)
      : limits_(limits), revision_(first), compacted_(first) {}

  Revision revision() const { return revision_; }

  // Null if there is none.
  Stored get(std::string_view resource, std::string_view key) const;
  // Stores the object under the next revision, which is written into it.
  Stored put(std::string_view resource, std::string_view key, JsonObject object);
  // Removes the object, and returns it with the revision of its removal. Requires that it exists.
  Stored remove(std::string_view resource, std::string_view key);

  // Everything whose key starts with `prefix` and is not before `start`, as of `at`, in order.
  // Requires is_kept(resource, at) and at <= revision().
  std::vector<Entry> list(std::string_view resource, std::string_view prefix,
                          std::string_view start, Revision at) const;

  // Everything with that name in any namespace, as of now, in order.
  std::vector<Entry> list_named(std::string_view resource, std::string_view name) const;

  // Whether all changes after `revision` are still known.
  bool is_kept(std::string_view resource, Revision revision) const;
  // The oldest such revision.
  Revision oldest_kept(std::string_view resource) const;
  // Forgets the history of all resources up to there.
  void compact(Revision to);
  // Forgets that of one resource, whose watches have ended.
  void forget_history(std::string_view resource);

  // All objects at one time, by resource and key.
  struct Snapshot {
    Revision revision;
    std::map<std::string, std::map<std::string, Stored, std::less<>>, std::less<>> objects;
  };
  Snapshot snapshot() const;
  // Replaces all objects with those of the snapshot, and forgets the history. Revisions continue
  // from `revision`, which is not before the snapshot's. The listener is not called.
  void restore(const Snapshot& snapshot, Revision revision);

  // The changes of one resource are numbered from 0; a watch remembers the number of its next one.
  std::uint64_t next_change(std::string_view resource) const;
  // The number of the first change after `revision`. Requires is_kept().
  std::uint64_t first_change_after(std::string_view resource, Revision revision) const;
  // Null if the change has fallen out of the history, or has not happened yet.
  const Change* change(std::string_view resource, std::uint64_t number) const;

  // Called after each change with the resource's name. Must not write to the store.
  using Listener = std::function<void(std::string_view, const Change&)>;
  void on_change(Listener listener) { listener_ = std::move(listener); }

 private:
  struct Table {
    std::map<std::string, Stored, std::less<>> objects;
    std::deque<Change> history;
    std::uint64_t forgotten = 0;  // changes dropped so far
    std::size_t bytes = 0;        // of the changes in `history`
    Revision oldest = 0;          // all changes after it are in `history`
  };

  const Table& table(std::string_view resource) const;
  Table& table(std::string_view resource);
  void record(std::string_view resource, Table& table, Change change);
  static void forget_oldest(Table& table);

  HistoryLimits limits_;
  Revision revision_;
  Revision compacted_;
  std::map<std::string, Table, std::less<>> tables_;
  Listener listener_;
};

}  // namespace dcm::apiserver
