// The stored objects and their history: what etcd and the watch cache are to a real API server.
//
// One revision counter serves all resources. Each write adds a Change to its resource's history,
// which is bounded: a version older than the history cannot be watched or listed any more (410).
// Objects are immutable once stored, and are kept without `apiVersion` and `kind`, which every
// answer gets from the path of the request.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/model/stored.hpp"

namespace dcm::apiserver {

struct Change {
  Revision revision;
  std::string key;
  Stored before;          // null: it was made
  Stored after;           // null: it is gone
  Stored removed = {};    // then: what it was, under the revision of this change
  std::size_t bytes = 0;  // of memory that the history holds because of it, about

  // The state before, under the revision of this change: what a watch shows of an object that is
  // gone, or that its selector has lost. Requires `before`.
  Stored last() const;
};

// How much history a resource keeps; the newest change always.
struct HistoryLimits {
  std::size_t changes = 100'000;
  // Of the objects in it, about: so that memory is bounded whatever their size.
  std::size_t bytes = 512 * 1024 * 1024;
};

class Store {
 public:
  struct Entry {
    std::string key;
    Stored object;
  };

  // Revisions count on from `first`; earlier ones are not kept.
  Store(HistoryLimits limits, Revision first)
      : limits_(limits), revision_(first), compacted_(first) {}

  Revision revision() const { return revision_; }

  // Null when there is none.
  Stored get(std::string_view resource, std::string_view key) const;
  // Stores the object under the next revision, which it then carries.
  Stored put(std::string_view resource, std::string_view key, JsonObject object);
  // Removes what is there, and returns it under the revision of its removal. Requires it is there.
  Stored remove(std::string_view resource, std::string_view key);

  // Everything whose key starts with `prefix` and is not before `start`, as of `at`, in order.
  // Requires is_kept(resource, at) and at <= revision().
  std::vector<Entry> list(std::string_view resource, std::string_view prefix,
                          std::string_view start, Revision at) const;

  // Everything of that name in any namespace, as of now, in order.
  std::vector<Entry> list_named(std::string_view resource, std::string_view name) const;

  // Whether the changes after `revision` are all still known.
  bool is_kept(std::string_view resource, Revision revision) const;
  // The oldest revision for which that holds.
  Revision oldest_kept(std::string_view resource) const;
  // Forgets the history of all resources up to there.
  void compact(Revision to);

  // The changes of one resource are numbered from 0 on; a watch remembers the number of its next.
  std::uint64_t next_change(std::string_view resource) const;
  // The number of the first change after `revision`. Requires is_kept().
  std::uint64_t first_change_after(std::string_view resource, Revision revision) const;
  // Null when the change has fallen out of the history, or has not happened yet.
  const Change* change(std::string_view resource, std::uint64_t number) const;

  // Called after each change with the resource's name. Must not write to the store.
  using Listener = std::function<void(std::string_view, const Change&)>;
  void on_change(Listener listener) { listener_ = std::move(listener); }

 private:
  struct Table {
    std::map<std::string, Stored, std::less<>> objects;
    std::deque<Change> history;
    std::uint64_t forgotten = 0;  // changes that have fallen out
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
