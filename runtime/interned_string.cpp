#include "runtime/interned_string.hpp"

#include <memory>
#include <utility>

#include "runtime/keyed_hash.hpp"
#include "runtime/sharded_map.hpp"

namespace dcm::runtime {

struct InternedString::Entry {
  std::string text;
  std::size_t hash;
  std::size_t users = 0;
};

struct InternedString::Table {
  // Keys point into their entries.
  ShardedMap<std::string_view, std::unique_ptr<Entry>, KeyedHash> entries;

  static Table& instance() {
    // Never destroyed: objects with static storage may still hold strings when the process ends.
    static Table& table = *new Table;
    return table;
  }
};

InternedString::InternedString(std::string_view text) {
  if (text.empty()) return;
  auto& entries = Table::instance().entries;
  if (const auto* found = entries.find(text)) {
    entry_ = found->get();
  } else {
    auto entry = std::make_unique<Entry>(std::string(text), keyed_hash(text));
    entry_ = entry.get();
    entries.try_emplace(entry_->text, std::move(entry));
  }
  ++entry_->users;
}

InternedString::InternedString(const InternedString& other) noexcept : entry_(other.entry_) {
  if (entry_ != nullptr) ++entry_->users;
}

InternedString::InternedString(InternedString&& other) noexcept
    : entry_(std::exchange(other.entry_, nullptr)) {}

InternedString& InternedString::operator=(InternedString other) noexcept {
  std::swap(entry_, other.entry_);
  return *this;
}

InternedString::~InternedString() {
  if (entry_ == nullptr || --entry_->users > 0) return;
  Table::instance().entries.erase(entry_->text);
}

const std::string& InternedString::str() const noexcept {
  static const std::string empty;
  return entry_ == nullptr ? empty : entry_->text;
}

std::size_t InternedString::hash() const noexcept {
  return entry_ == nullptr ? 0 : entry_->hash;
}

std::size_t InternedString::table_size() noexcept {
  return Table::instance().entries.size();
}

}  // namespace dcm::runtime
