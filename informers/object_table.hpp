// Objects of one kind by name, with secondary indexes.
//
// `footprint(const T&)`, declared next to the kind, returns an object's bytes; without it, only
// its own size counts. Data only: the store (store.hpp) decides who may change it and who is
// notified.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "client/api/decoder.hpp"
#include "informers/posting_table.hpp"
#include "runtime/assert.hpp"
#include "runtime/chunked_vector.hpp"

namespace dcm::informers {

using api::ObjectPtr;

template <class Key>
using Emit = std::function<void(const Key&)>;

// Emits the keys of an object, which must depend on the object alone.
template <class T, class Key>
using Extract = std::function<void(const T&, const Emit<Key>&)>;

template <class T>
std::size_t bytes_of(const T& object) {
  if constexpr (requires { footprint(object); }) {
    return footprint(object);
  } else {
    return ObjectPtr<T>::size_of_object();
  }
}

// An index without its key type: the part that the table needs to update it.
template <class T>
class AnyIndex {
 public:
  virtual ~AnyIndex() = default;
  // From now on, the index lists the object under exactly its keys.
  virtual void set(SlotId slot, const T& object) = 0;
  virtual void clear(SlotId slot) = 0;
  // How many postings the object has.
  virtual std::size_t count(const T& object) const = 0;
  virtual std::size_t bytes() const noexcept = 0;

  PostingTable postings;
};

template <class T, class Key>
class KeyedIndex final : public AnyIndex<T> {
 public:
  explicit KeyedIndex(Extract<T, Key> extract) : extract_(std::move(extract)) {}

  void set(SlotId slot, const T& object) override {
    collect_hashes(object, hashes_);
    this->postings.set(slot, hashes_);
    forget_keys(slot);
    if (hashes_.size() <= kFewKeys) return;
    std::unordered_set<Key>& keys = keys_of_many_[slot];
    extract_(object, [&keys](const Key& key) { keys.insert(key); });
    keys_kept_ += keys.size();
  }
  void clear(SlotId slot) override {
    this->postings.clear(slot);
    forget_keys(slot);
  }
  std::size_t bytes() const noexcept override {
    return this->postings.bytes() + keys_kept_ * sizeof(Key);
  }
  std::size_t count(const T& object) const override {
    std::vector<KeyHash> hashes;
    collect_hashes(object, hashes);
    return hashes.size();
  }

  // Whether the object of that slot has the key, and not only one of the same hash.
  bool has(SlotId slot, const T& object, const Key& key) const {
    const auto many = keys_of_many_.find(slot);
    if (many != keys_of_many_.end()) return many->second.contains(key);
    bool found = false;
    extract_(object, [&](const Key& other) { found = found || other == key; });
    return found;
  }
  static KeyHash hash_of(const Key& key) { return fold_hash(std::hash<Key>{}(key)); }

 private:
  // Up to this many keys of an object are extracted again for each look-up that finds it.
  static constexpr std::size_t kFewKeys = 32;

  // An object has one posting per key; two keys with one hash share it, and has() compares.
  void collect_hashes(const T& object, std::vector<KeyHash>& hashes) const {
    hashes.clear();
    extract_(object, [&hashes](const Key& key) { hashes.push_back(hash_of(key)); });
    std::ranges::sort(hashes);
    const auto repeated = std::ranges::unique(hashes);
    hashes.erase(repeated.begin(), repeated.end());
  }

  void forget_keys(SlotId slot) {
    const auto many = keys_of_many_.find(slot);
    if (many == keys_of_many_.end()) return;
    keys_kept_ -= many->second.size();
    keys_of_many_.erase(many);
  }

  Extract<T, Key> extract_;
  std::unordered_map<SlotId, std::unordered_set<Key>> keys_of_many_;
  std::size_t keys_kept_ = 0;    // how many of them
  std::vector<KeyHash> hashes_;  // buffer of set()
};

// Invariants: one object per name; each index lists each object under exactly its keys. Slots do
// not move, and their order depends only on the order of changes.
template <class T>
class ObjectTable {
 public:
  // Call this before the first object is stored.
  template <class Key>
  const KeyedIndex<T, Key>& add_index(Extract<T, Key> extract) {
    DCM_ASSERT(size() == 0);
    auto index = std::make_unique<KeyedIndex<T, Key>>(std::move(extract));
    const auto& added = *index;
    indexes_.push_back(std::move(index));
    return added;
  }

  std::size_t size() const noexcept { return by_name_.size(); }
  // The bytes of the objects, the table and its indexes, without malloc overhead.
  std::size_t bytes() const noexcept;

  // Null if there is none.
  ObjectPtr<T> get(const api::NamespacedName& name) const {
    const auto slot = find(name);
    return slot ? slots_[*slot] : nullptr;
  }
  // Replaces the object of the same name. A new object is unmarked.
  void put(ObjectPtr<T> object);
  void remove(const api::NamespacedName& name);

  // Marks show which objects a relist has seen again.
  void unmark_all() { marks_.assign(slots_.size(), false); }
  void mark(const api::NamespacedName& name) {
    if (const auto slot = find(name)) marks_[*slot] = true;
  }
  bool is_marked(SlotId slot) const { return marks_[slot]; }
  bool is_marked(const api::NamespacedName& name) const {
    const auto slot = find(name);
    return slot && marks_[*slot];
  }

  SlotId slots() const { return static_cast<SlotId>(slots_.size()); }
  // Null if the slot is free.
  const ObjectPtr<T>& at(SlotId slot) const { return slots_[slot]; }

  // Calls `visit(object)` for each object under `key`. `visit` must not change the table.
  template <class Key, class Visit>
  void for_each(const KeyedIndex<T, Key>& index, const Key& key, Visit visit) const {
    const Iterating guard(*this);
    index.postings.for_each(KeyedIndex<T, Key>::hash_of(key), [&](SlotId slot) {
      if (index.has(slot, *slots_[slot], key)) visit(slots_[slot]);
      return true;
    });
  }
  // How many objects are under `key`, and under any others of the same hash.
  template <class Key>
  std::size_t count(const KeyedIndex<T, Key>& index, const Key& key) const {
    std::size_t objects = 0;
    index.postings.for_each(KeyedIndex<T, Key>::hash_of(key), [&](SlotId) {
      ++objects;
      return true;
    });
    return objects;
  }
  // The slots of the objects under `key`, and of any others under a key of the same hash.
  template <class Key>
  std::vector<SlotId> slots_of(const KeyedIndex<T, Key>& index, const Key& key) const {
    std::vector<SlotId> slots;
    index.postings.for_each(KeyedIndex<T, Key>::hash_of(key), [&](SlotId slot) {
      slots.push_back(slot);
      return true;
    });
    return slots;
  }
  // Calls `visit(object)` for the objects of slots [from, until).
  template <class Visit>
  void for_each(SlotId from, SlotId until, Visit visit) const {
    const Iterating guard(*this);
    for (SlotId slot = from; slot < until; ++slot) {
      if (slots_[slot]) visit(slots_[slot]);
    }
  }

  // Throws InvariantViolation unless everything is consistent. O(n): for tests and simulations.
  void check() const;

 private:
  // A change during an iteration would invalidate its iterators.
  struct Iterating {
    explicit Iterating(const ObjectTable& table) : count(table.iterating_) { ++count; }
    ~Iterating() { --count; }
    std::size_t& count;
  };

  static KeyHash hash_of(const api::NamespacedName& name) {
    return fold_hash(std::hash<api::NamespacedName>{}(name));
  }
  std::optional<SlotId> find(const api::NamespacedName& name) const;
  SlotId take_free_slot();

  runtime::ChunkedVector<ObjectPtr<T>> slots_;
  std::vector<bool> marks_;
  std::vector<SlotId> free_;
  PostingTable by_name_;
  std::vector<std::unique_ptr<AnyIndex<T>>> indexes_;
  std::size_t object_bytes_ = 0;
  mutable std::size_t iterating_ = 0;
};

template <class T>
std::size_t ObjectTable<T>::bytes() const noexcept {
  std::size_t sum = object_bytes_ + slots_.size() * sizeof(ObjectPtr<T>) +
                    free_.capacity() * sizeof(SlotId) + by_name_.bytes();
  for (const auto& index : indexes_) sum += index->bytes();
  return sum;
}

template <class T>
void ObjectTable<T>::put(ObjectPtr<T> object) {
  DCM_ASSERT(iterating_ == 0);
  const auto found = find(object->meta.key);
  const SlotId slot = found ? *found : take_free_slot();
  if (found) {
    object_bytes_ -= bytes_of(*slots_[slot]);
  } else {
    const KeyHash hash = hash_of(object->meta.key);
    by_name_.set(slot, {&hash, 1});
  }
  slots_[slot] = std::move(object);
  object_bytes_ += bytes_of(*slots_[slot]);
  for (const auto& index : indexes_) index->set(slot, *slots_[slot]);
  DCM_ASSERT(slots_.size() == by_name_.size() + free_.size());
}

template <class T>
void ObjectTable<T>::remove(const api::NamespacedName& name) {
  DCM_ASSERT(iterating_ == 0);
  const auto slot = find(name);
  if (!slot) return;
  by_name_.clear(*slot);
  for (const auto& index : indexes_) index->clear(*slot);
  object_bytes_ -= bytes_of(*slots_[*slot]);
  slots_[*slot] = nullptr;
  free_.push_back(*slot);
  DCM_ASSERT(slots_.size() == by_name_.size() + free_.size());
}

template <class T>
std::optional<SlotId> ObjectTable<T>::find(const api::NamespacedName& name) const {
  std::optional<SlotId> found;
  by_name_.for_each(hash_of(name), [&](SlotId slot) {
    if (slots_[slot]->meta.key == name) found = slot;
    return !found;
  });
  return found;
}

template <class T>
SlotId ObjectTable<T>::take_free_slot() {
  if (free_.empty()) {
    slots_.push_back(nullptr);
    marks_.push_back(false);
    return slots() - 1;
  }
  const SlotId slot = free_.back();
  free_.pop_back();
  marks_[slot] = false;
  return slot;
}

template <class T>
void ObjectTable<T>::check() const {
  std::vector<std::size_t> postings(indexes_.size(), 0);
  std::size_t objects = 0;
  std::size_t held = 0;
  for (SlotId slot = 0; slot < slots(); ++slot) {
    if (!slots_[slot]) continue;
    ++objects;
    held += bytes_of(*slots_[slot]);
    DCM_ASSERT(find(slots_[slot]->meta.key) == slot);
    for (std::size_t i = 0; i < indexes_.size(); ++i) {
      postings[i] += indexes_[i]->count(*slots_[slot]);
    }
  }
  DCM_ASSERT(objects == size());
  DCM_ASSERT(held == object_bytes_);
  for (std::size_t i = 0; i < indexes_.size(); ++i) {
    DCM_ASSERT(postings[i] == indexes_[i]->postings.size());
  }
}

}  // namespace dcm::informers
