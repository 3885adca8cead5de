// The objects of one kind as we know them: what the watch showed, and what our own writes returned.
//
// Four roles, four types: the informer owns the Store, the reflector holds the one StoreWriter, all
// readers get StoreReader and Index, and code that writes through the API gets OwnWrites. All are
// small, copyable (except the writer) and must not outlive the store.
//
// Own writes. An object that a write returned is a change of the store like any other, only
// earlier: get(), every index and every observer see it at once. Until the watch has passed
// its resourceVersion (by an event, a bookmark or a list of that version or a later one),
// older events of that name are held back and an older relist does not remove it. Once the
// watch has passed it, only the watch counts. Usually the watch has shown the same object,
// which is not reported again, or a newer one, or its deletion. If it showed nothing of the
// write, the store falls back to what it did show. A write result that the watch has already
// passed, or that is not newer than the stored object, changes nothing. A DELETE that returns
// the object (being deleted, with a finalizer or a grace period) is recorded like any other
// write. If the object is gone at once, no answer gives the resourceVersion of the deletion:
// record_gone() hides the object, by its UID, until the watch shows its deletion or a later
// state, or a list begins, which shows whether it is there.
#pragma once

#include <concepts>
#include <optional>
#include <utility>
#include <vector>

#include "informers/object_table.hpp"
#include "informers/observer.hpp"
#include "informers/own_writes.hpp"
#include "runtime/task.hpp"

namespace dcm::informers {

template <class T>
class Store;
template <class T>
class StoreReader;

// Finds objects by a secondary key, in insertion order.
template <class T, class Key>
class Index {
 public:
  std::vector<ObjectPtr<T>> get(const Key& key) const {
    std::vector<ObjectPtr<T>> objects;
    for_each(key, [&objects](const ObjectPtr<T>& object) { objects.push_back(object); });
    return objects;
  }
  // Calls `visit(object)`, which must not change the store.
  template <class Visit>
  void for_each(const Key& key, Visit visit) const {
    table_->for_each(*index_, key, visit);
  }
  bool contains(const Key& key) const {
    bool found = false;
    for_each(key, [&found](const ObjectPtr<T>&) { found = true; });
    return found;
  }
  // At least as many as there are: keys of the same hash add some. Reads no object.
  std::size_t count(const Key& key) const { return table_->count(*index_, key); }
  // Where the objects are, for a walk in slices; objects under keys of the same hash are among
  // them. Reads no object: a hundred thousand places take a millisecond.
  std::vector<SlotId> places(const Key& key) const { return table_->slots_of(*index_, key); }

 private:
  friend class Store<T>;
  Index(const ObjectTable<T>& table, const KeyedIndex<T, Key>& index)
      : table_(&table), index_(&index) {}

  const ObjectTable<T>* table_;
  const KeyedIndex<T, Key>* index_;
};

// The position of a sliced walk over all objects.
class Cursor {
 public:
  Cursor() = default;

 private:
  template <class T>
  friend class StoreReader;
  template <class T>
  friend class Store;
  explicit Cursor(SlotId next) : next_(next) {}
  SlotId next_ = 0;
};

// Read access. Returns immutable snapshots, which stay valid as long as they are held.
template <class T>
class StoreReader {
 public:
  // Null if there is none, or none that the cache keeps.
  ObjectPtr<T> get(const api::NamespacedName& name) const { return table_->get(name); }
  std::size_t size() const noexcept { return table_->size(); }
  // The object that is in a place of an index now: perhaps another than when places() was called.
  ObjectPtr<T> at(SlotId place) const { return table_->at(place); }

  // Calls `visit(object)`, which must not change the store, for all objects, in an unspecified
  // order that depends only on past changes.
  template <class Visit>
  void for_each(Visit visit) const {
    table_->for_each(0, table_->slots(), visit);
  }
  // The same in slices of about `limit` objects (at least 1), so that other tasks run in between.
  // Returns where to continue; nullopt: done. Every object that exists during the whole walk is
  // visited once; observers are notified of objects added or removed meanwhile.
  template <class Visit>
  std::optional<Cursor> visit_slice(Cursor from, std::size_t limit, Visit visit) const {
    const SlotId end = table_->slots();
    const auto until = static_cast<SlotId>(std::min<std::size_t>(from.next_ + limit, end));
    if (from.next_ < until) table_->for_each(from.next_, until, visit);
    return until < end ? std::optional(Cursor(until)) : std::nullopt;
  }

 private:
  friend class Store<T>;
  explicit StoreReader(const ObjectTable<T>& table) : table_(&table) {}
  const ObjectTable<T>* table_;
};

// Visits all objects, as StoreReader::visit_slice does, and yields after each slice of about
// `limit`. What `reader` and `visit` refer to must outlive the task.
template <class T, class Visit>
runtime::Task<> walk(StoreReader<T> reader, std::size_t limit, Visit visit) {
  std::optional<Cursor> at = Cursor();
  while (at) {
    at = reader.visit_slice(*at, limit, visit);
    co_await runtime::yield();
  }
}

// Where a controller records the results of its writes.
template <class T>
class OwnWrites {
 public:
  // `written` is the API server's answer to one of our writes, even if the cache no longer keeps
  // the object.
  void record(api::Decoded<T> written) { store_->record(std::move(written)); }
  // `written` must not be null.
  void record(ObjectPtr<T> written) {
    DCM_ASSERT(written != nullptr);
    store_->record({written->meta, written});
  }
  // The API server has answered that this object (by its UID) is gone: after a delete, or when its
  // last finalizer was removed. It stays hidden until the watch shows what followed.
  void record_gone(const api::ObjectMeta& gone) { store_->record_gone(gone); }
  // The number of objects shown ahead of the watch.
  std::size_t unseen() const noexcept { return store_->unseen(); }

 private:
  friend class Store<T>;
  explicit OwnWrites(Store<T>& store) : store_(&store) {}
  Store<T>* store_;
};

// Receives the results of lists and watches, in order. The reflector has the only instance.
template <class T>
class StoreWriter {
 public:
  StoreWriter(StoreWriter&&) noexcept = default;
  StoreWriter& operator=(StoreWriter&&) noexcept = default;
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  // A relist is mark-and-sweep against the live store: begin, observe every listed object (or
  // observe_unlisted if it was deleted meanwhile), sweep until it returns nullopt, end. It may be
  // restarted at any point. `version` is that of the list.
  void begin_relist() {
    store_->table_.unmark_all();
    store_->own_.begin_relist();
    store_->gone_.clear();
  }
  void observe_listed(api::Decoded<T> seen) { store_->observe_listed(std::move(seen)); }
  void observe_unlisted(const api::ObjectMeta& gone) {
    store_->observe_absent(gone, Origin::initial);
  }
  std::optional<Cursor> sweep(Cursor from, std::size_t limit, const api::ResourceVersion& version) {
    return store_->sweep(from, limit, version);
  }
  void end_relist(const api::ResourceVersion& version) {
    store_->own_.end_relist();
    store_->pass(version);
  }

  // An event after the initial ones. It also moves the watch's version.
  void observe_change(api::ChangeType type, api::Decoded<T> seen);
  // A bookmark: the watch has shown everything up to here.
  void pass(const api::ResourceVersion& version) { store_->pass(version); }

  std::size_t size() const noexcept { return store_->table_.size(); }
  std::size_t bytes() const noexcept { return store_->bytes(); }
  // Whether the store stays within its limits if this object replaces the one of its name.
  bool has_room_for(const api::Decoded<T>& seen, std::size_t objects_max,
                    std::size_t bytes_max) const {
    return store_->has_room_for(seen, objects_max, bytes_max);
  }

 private:
  friend class Store<T>;
  explicit StoreWriter(Store<T>& store) : store_(&store) {}
  Store<T>* store_;
};

// Invariants: for each name, the table shows its newest unseen own write, otherwise the last
// watched state; observers were notified of exactly that.
template <class T>
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Indexes and observers are added before the first object; observers must outlive the store's
  // writers.
  template <class Key>
  Index<T, Key> add_index(Extract<T, Key> extract) {
    return Index<T, Key>(table_, table_.template add_index<Key>(std::move(extract)));
  }
  void add_observer(Observer<T>& observer) {
    DCM_ASSERT(table_.size() == 0);
    observers_.push_back(&observer);
  }

  StoreReader<T> reader() const { return StoreReader<T>(table_); }
  OwnWrites<T> own_writes() { return OwnWrites<T>(*this); }
  // Call this once.
  StoreWriter<T> take_writer() {
    DCM_ASSERT(!has_writer_);
    has_writer_ = true;
    return StoreWriter<T>(*this);
  }

  std::size_t unseen() const noexcept { return own_.size(); }
  std::size_t bytes() const noexcept { return table_.bytes(); }
  // Takes O(n): for tests and simulations.
  void check() const { table_.check(); }

 private:
  friend class OwnWrites<T>;
  friend class StoreWriter<T>;
  using Absence = typename Watched<T>::Absence;

  void record(api::Decoded<T> written);
  void record_gone(const api::ObjectMeta& gone);
  void observe_listed(api::Decoded<T> seen);
  void observe(api::Decoded<T> seen, Origin origin);
  void observe_absent(const api::ObjectMeta& gone, Origin origin);
  std::optional<Cursor> sweep(Cursor from, std::size_t limit, const api::ResourceVersion& version);
  void pass(const api::ResourceVersion& version);

  bool has_room_for(const api::Decoded<T>& seen, std::size_t objects_max,
                    std::size_t bytes_max) const;
  // Why the object is absent: the last one left the projection (same UID), or it was deleted.
  static Absence absence_of(const ObjectPtr<T>& last, const api::ObjectMeta& now) {
    return last && last->meta.uid == now.uid ? Absence::left : Absence::deleted;
  }
  bool hold_back(const api::ObjectMeta& seen, Watched<T> watched);
  static bool is_same(const T& before, const T& now, Origin origin);
  void show(ObjectPtr<T> object, Origin origin);
  void hide(const api::NamespacedName& name, Absence absence, Origin origin);
  template <class Tell>
  void tell(Tell tell_one);

  ObjectTable<T> table_;
  OwnWriteLedger<T> own_;
  OwnDeletions<T> gone_;
  api::ResourceVersion passed_;
  std::vector<Observer<T>*> observers_;
  bool has_writer_ = false;
  bool is_telling_ = false;
};

template <class T>
void StoreWriter<T>::observe_change(api::ChangeType type, api::Decoded<T> seen) {
  const api::ResourceVersion version = seen.meta.resource_version;
  if (type == api::ChangeType::deleted) {
    store_->observe_absent(seen.meta, Origin::live);
  } else {
    store_->observe(std::move(seen), Origin::live);
  }
  store_->pass(version);
}

template <class T>
bool Store<T>::has_room_for(const api::Decoded<T>& seen, std::size_t objects_max,
                            std::size_t bytes_max) const {
  if (!seen.object) return true;
  const ObjectPtr<T> before = table_.get(seen.meta.key);
  if (!before && table_.size() >= objects_max) return false;
  const std::size_t freed = before ? bytes_of(*before) : 0;
  return table_.bytes() + bytes_of(*seen.object) <= bytes_max + freed;
}

template <class T>
void Store<T>::record(api::Decoded<T> written) {
  const api::ObjectMeta& meta = written.meta;
  if (meta.resource_version <= passed_) return;
  const ObjectPtr<T> current = table_.get(meta.key);
  if (current && meta.resource_version <= current->meta.resource_version) return;
  own_.add(meta.key, meta.resource_version, Watched<T>{.object = current},
           table_.is_marked(meta.key));
  if (written.object) return show(std::move(written.object), Origin::live);
  hide(meta.key, absence_of(current, meta), Origin::live);
}

template <class T>
void Store<T>::record_gone(const api::ObjectMeta& gone) {
  const ObjectPtr<T> current = table_.get(gone.key);
  if (!current || current->meta.uid != gone.uid) return;
  const auto* const own = own_.find(gone.key);
  gone_.add(current->meta, own == nullptr ? current : own->watched.object);
  own_.drop(gone.key);
  hide(gone.key, Absence::deleted, Origin::live);
}

template <class T>
void Store<T>::observe_listed(api::Decoded<T> seen) {
  const api::NamespacedName name = seen.meta.key;
  observe(std::move(seen), Origin::initial);
  table_.mark(name);
}

template <class T>
void Store<T>::observe(api::Decoded<T> seen, Origin origin) {
  if (hold_back(seen.meta, {seen.object, Absence::left})) return;
  if (gone_.hold_back(seen)) return;
  if (seen.object) return show(std::move(seen.object), origin);
  hide(seen.meta.key, absence_of(table_.get(seen.meta.key), seen.meta), origin);
}

template <class T>
void Store<T>::observe_absent(const api::ObjectMeta& gone, Origin origin) {
  gone_.drop(gone.key);
  if (!hold_back(gone, {})) hide(gone.key, Absence::deleted, origin);
}

// Whether our own newer write hides the watched state. If not, the ledger has no write for the name
// afterwards.
template <class T>
bool Store<T>::hold_back(const api::ObjectMeta& seen, Watched<T> watched) {
  auto* const own = own_.find(seen.key);
  if (own == nullptr) return false;
  if (own->version <= seen.resource_version) {
    own_.drop(seen.key);
    return false;
  }
  own->watched = std::move(watched);
  own->is_listed = true;
  return true;
}

template <class T>
std::optional<Cursor> Store<T>::sweep(Cursor from, std::size_t limit,
                                      const api::ResourceVersion& version) {
  const SlotId end = table_.slots();
  const auto until = static_cast<SlotId>(std::min<std::size_t>(from.next_ + limit, end));
  for (SlotId slot = from.next_; slot < until; ++slot) {
    if (!table_.at(slot) || table_.is_marked(slot)) continue;
    api::ObjectMeta unlisted = table_.at(slot)->meta;
    unlisted.resource_version = version;  // the version at which it was missing
    observe_absent(unlisted, Origin::initial);
  }
  return until < end ? std::optional(Cursor(until)) : std::nullopt;
}

template <class T>
void Store<T>::pass(const api::ResourceVersion& version) {
  // A server that was reset to an earlier state has lost our later writes.
  const bool has_gone_back = version < passed_;
  passed_ = version;
  while (has_gone_back && !gone_.empty()) {
    if (auto back = gone_.take()) show(std::move(back), Origin::live);
  }
  while (auto passed = has_gone_back ? own_.take_first() : own_.take_passed(version)) {
    auto& [name, watched] = *passed;
    if (watched.object) {
      show(std::move(watched.object), Origin::live);
    } else {
      hide(name, watched.absence, Origin::live);
    }
  }
}

// A version stands for one content, unless the server was reset to an earlier state: it gives
// versions a second time, and the list that follows has their new contents.
template <class T>
bool Store<T>::is_same(const T& before, const T& now, Origin origin) {
  if (before.meta.resource_version != now.meta.resource_version) return false;
  if constexpr (std::equality_comparable<T>) return origin == Origin::live || before == now;
  return true;
}

// The only ways to change the table: put an object, or remove it. Observers are notified at once.
template <class T>
void Store<T>::show(ObjectPtr<T> object, Origin origin) {
  ObjectPtr<T> before = table_.get(object->meta.key);
  if (before && before->meta.uid != object->meta.uid) {
    hide(object->meta.key, Absence::deleted, origin);
    before = nullptr;
  }
  if (before && is_same(*before, *object, origin)) return;
  DCM_ASSERT(!is_telling_);
  table_.put(object);
  tell([&](Observer<T>& observer) {
    if (before) {
      observer.observe_updated(before, object, origin);
    } else {
      observer.observe_added(object, origin);
    }
  });
}

template <class T>
void Store<T>::hide(const api::NamespacedName& name, Absence absence, Origin origin) {
  const ObjectPtr<T> last_known = table_.get(name);
  if (!last_known) return;
  DCM_ASSERT(!is_telling_);
  table_.remove(name);
  tell([&](Observer<T>& observer) {
    if (absence == Absence::left) {
      observer.observe_left(last_known, origin);
    } else {
      observer.observe_deleted(last_known, origin);
    }
  });
}

template <class T>
template <class Tell>
void Store<T>::tell(Tell tell_one) {
  is_telling_ = true;
  for (Observer<T>* observer : observers_) tell_one(*observer);
  is_telling_ = false;
}

}  // namespace dcm::informers
