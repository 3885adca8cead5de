#include "runtime/interned_string.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>

#include "runtime/assert.hpp"
#include "runtime/chunked_vector.hpp"
#include "runtime/keyed_hash.hpp"
#include "runtime/linear_hashing.hpp"

namespace dcm::runtime {

// Allocated with room for the whole text, which begins in the last member.
struct InternedString::Entry {
  Entry* next;  // of the same bucket
  std::uint32_t hash;
  std::uint32_t users;
  std::uint32_t size;
  char text[4];

  std::string_view view() const noexcept { return {text, size}; }

  static Entry* make(std::string_view text, std::uint32_t hash) {
    DCM_ASSERT(text.size() <= std::numeric_limits<std::uint32_t>::max());
    void* const memory =
        ::operator new(std::max(sizeof(Entry), offsetof(Entry, text) + text.size()));
    auto* const entry =
        new (memory) Entry{nullptr, hash, 0, static_cast<std::uint32_t>(text.size()), {}};
    std::memcpy(entry->text, text.data(), text.size());
    return entry;
  }
};

struct InternedString::Table {
  ChunkedVector<Entry*> buckets;
  std::size_t size = 0;

  static Table& instance() {
    // Never destroyed: objects with static storage may still hold strings when the process ends.
    static Table& table = *new Table;
    return table;
  }

  static std::uint32_t hash_of(std::string_view text) {
    return static_cast<std::uint32_t>(keyed_hash(text));
  }

  // The link to the entry, or the empty link at which it would be. Requires a bucket.
  Entry** find(std::string_view text, std::uint32_t hash) {
    Entry** link = &buckets[linear_bucket(hash, buckets.size())];
    while (*link != nullptr && ((*link)->hash != hash || (*link)->view() != text)) {
      link = &(*link)->next;
    }
    return link;
  }

  Entry* get(std::string_view text) {
    // Half full: each further entry of a bucket costs a look-up a cache miss.
    while (2 * size >= buckets.size()) add_bucket();
    const std::uint32_t hash = hash_of(text);
    Entry** const link = find(text, hash);
    if (*link == nullptr) {
      *link = Entry::make(text, hash);
      ++size;
    }
    return *link;
  }

  void erase(Entry* entry) {
    *find(entry->view(), entry->hash) = entry->next;
    --size;
    ::operator delete(entry);
  }

  void add_bucket() {
    const std::size_t added = buckets.size();
    buckets.push_back(nullptr);
    if (added == 0) return;
    Entry** link = &buckets[linear_split(added)];
    while (*link != nullptr) {
      Entry* const entry = *link;
      if (linear_bucket(entry->hash, buckets.size()) != added) {
        link = &entry->next;
        continue;
      }
      *link = entry->next;
      entry->next = std::exchange(buckets[added], entry);
    }
  }
};

InternedString::InternedString(std::string_view text) {
  if (text.empty()) return;
  entry_ = Table::instance().get(text);
  ++entry_->users;
}

InternedString::InternedString(const InternedString& other) noexcept : entry_(other.entry_) {
  if (entry_ != nullptr) ++entry_->users;
}

InternedString::~InternedString() {
  release(entry_);
}

void InternedString::release(Entry* entry) noexcept {
  if (entry != nullptr && --entry->users == 0) Table::instance().erase(entry);
}

std::string_view InternedString::view() const noexcept {
  return entry_ == nullptr ? std::string_view() : entry_->view();
}

std::size_t InternedString::hash() const noexcept {
  return entry_ == nullptr ? 0 : entry_->hash;
}

std::size_t InternedString::table_size() noexcept {
  return Table::instance().size;
}

NumberOrText::NumberOrText(const NumberOrText& other) noexcept : bits_(other.bits_) {
  if (auto* const shared = entry()) ++shared->users;
}

NumberOrText::~NumberOrText() {
  InternedString::release(entry());
}

InternedString::Entry* NumberOrText::entry() const noexcept {
  return is_number() ? nullptr : reinterpret_cast<InternedString::Entry*>(bits_);
}

std::string_view NumberOrText::text() const noexcept {
  const auto* const held = entry();
  return held == nullptr ? std::string_view() : held->view();
}

}  // namespace dcm::runtime
