#include "cel/value.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "cel/numbers.hpp"
#include "cel/text.hpp"
#include "cel/types.hpp"

namespace dcm::cel {
namespace {

using Entry = Map::Entry;

bool is_number(Kind kind) {
  return kind == Kind::integer || kind == Kind::unsigned_integer || kind == Kind::real;
}

template <typename T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int compare_numbers(const Value& a, const Value& b) {
  if (a.kind() == b.kind()) {
    if (a.is(Kind::integer)) return order(a.as_integer(), b.as_integer());
    if (a.is(Kind::unsigned_integer)) return order(a.as_unsigned(), b.as_unsigned());
    if (std::isnan(a.as_real()) || std::isnan(b.as_real())) return 2;
    return order(a.as_real(), b.as_real());
  }
  if (b.is(Kind::real)) {
    const int turned = compare_numbers(b, a);
    return turned == 2 ? 2 : -turned;
  }
  if (a.is(Kind::real)) {
    const double real = a.as_real();
    if (std::isnan(real)) return 2;
    if (b.is(Kind::integer)) {
      if (real < kLeastInteger) return -1;
      if (real > kBeyondInteger) return 1;
      return order(real, static_cast<double>(b.as_integer()));
    }
    if (real < 0) return -1;
    if (real > kBeyondUnsigned) return 1;
    return order(real, static_cast<double>(b.as_unsigned()));
  }
  if (a.is(Kind::integer)) {
    if (a.as_integer() < 0) return -1;
    return order(static_cast<std::uint64_t>(a.as_integer()), b.as_unsigned());
  }
  return -compare_numbers(b, a);
}

// A key as the table stores it: numbers of equal value are one key.
std::uint64_t hash(const Value& key) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  const auto mix = [&](std::uint64_t word) {
    hash ^= word;
    hash *= 0xbf58476d1ce4e5b9;
    hash ^= hash >> 29;
  };
  if (is_number(key.kind())) {
    std::int64_t integer = key.as_integer();
    if (key.is(Kind::real)) integer = to_integer(key.as_real()).value_or(0);
    mix(static_cast<std::uint64_t>(integer));
  } else if (key.is(Kind::string)) {
    mix(key.as_text().size());
    for (const char c : key.as_text()) mix(static_cast<unsigned char>(c));
  } else {
    mix(key.is(Kind::boolean) && key.as_boolean() ? 1 : 2);
  }
  return hash;
}

bool is_same_key(const Value& a, const Value& b) {
  if (is_number(a.kind()) && is_number(b.kind())) return compare_numbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  return a.is(Kind::string) ? a.as_text() == b.as_text()
                            : a.is(Kind::boolean) && a.as_boolean() == b.as_boolean();
}

// Entries in order of insertion, with an open-addressed index. Views of a table see its first
// `size_` entries.
struct Table {
  Entry* entries;
  std::size_t capacity;
  std::uint32_t* index;  // 2 * capacity entries; 0 is free, otherwise 1 + the entry's number
  mutable std::size_t used;

  std::uint32_t* slot(const Value& key) const {
    const std::size_t mask = 2 * capacity - 1;
    std::size_t at = hash(key) & mask;
    while (index[at] != 0 && !is_same_key(entries[index[at] - 1].key, key)) at = (at + 1) & mask;
    return index + at;
  }

  void put(const Entry& entry) const {
    auto* const at = slot(entry.key);
    if (*at != 0) {
      entries[*at - 1].value = entry.value;
      return;
    }
    entries[used++] = entry;
    *at = static_cast<std::uint32_t>(used);
  }
};

const Table* make_table(std::size_t capacity, Arena& arena) {
  capacity = std::bit_ceil(std::max<std::size_t>(capacity, 4));
  auto* const index = arena.array<std::uint32_t>(2 * capacity);
  std::fill_n(index, 2 * capacity, 0);
  return arena.make<Table>(arena.array<Entry>(capacity), capacity, index, std::size_t{0});
}

class TableMap final : public Map {
 public:
  TableMap(const Table* table, std::size_t size) : table_(table), size_(size) {}

  std::size_t size() const override { return size_; }
  std::optional<Value> find(Value key, Arena&) const override {
    const auto at = *table_->slot(key);
    if (at == 0 || at > size_) return std::nullopt;
    return table_->entries[at - 1].value;
  }
  Entry entry(std::size_t index, Arena&) const override { return table_->entries[index]; }

  const Table& table() const { return *table_; }

 private:
  const Table* table_;
  std::size_t size_;
};

// Correct only if neither list repeats an item.
Value equal_in_any_order(const List& a, const List& b, Arena& arena) {
  if (!arena.take_steps(a.values.size() * b.values.size())) return Value::boolean(false);
  return Value::boolean(std::ranges::all_of(a.values, [&](const Value& item) {
    return std::ranges::any_of(
        b.values, [&](const Value& other) { return equal(item, other, arena).is_true(); });
  }));
}

Value equal_lists(const List& a, const List& b, Arena& arena) {
  if (a.values.size() != b.values.size() || !arena.take_steps(a.values.size()))
    return Value::boolean(false);
  if (a.is_unordered) return equal_in_any_order(a, b, arena);
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const Value same = equal(a.values[i], b.values[i], arena);
    if (!same.is_true()) return same;
  }
  return Value::boolean(true);
}

Value equal_maps(const Map& a, const Map& b, Arena& arena) {
  if (a.size() != b.size() || !arena.take_steps(a.size())) return Value::boolean(false);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto [key, value] = a.entry(i, arena);
    const auto other = b.member(key, arena);
    const Value same = other ? equal(value, *other, arena) : Value::boolean(false);
    if (!same.is_true()) return same;
  }
  return Value::boolean(true);
}

}  // namespace

Value make_error(Arena& arena, std::string_view text) {
  return Value::error(arena.copy(text));
}

Value adopt_list(std::span<const Value> values, Arena& arena) {
  return Value::list(arena.make<List>(values));
}

Value adopt_unordered_list(std::span<const Value> values, Arena& arena) {
  return Value::list(arena.make<List>(values, nullptr, true));
}

Value make_list(std::span<const Value> values, Arena& arena) {
  Value* const copy = arena.array<Value>(values.size());
  std::ranges::copy(values, copy);
  return adopt_list({copy, values.size()}, arena);
}

Value concatenate(const List& a, const List& b, Arena& arena) {
  const std::size_t size = a.values.size() + b.values.size();
  const List::Buffer* buffer = a.buffer;
  if (buffer == nullptr || buffer->used != a.values.size() || buffer->capacity < size) {
    const std::size_t capacity = std::max<std::size_t>(2 * size, 4);
    buffer = arena.make<List::Buffer>(arena.array<Value>(capacity), capacity, a.values.size());
    std::ranges::copy(a.values, buffer->values);
  }
  std::ranges::copy(b.values, buffer->values + a.values.size());
  buffer->used = size;
  return Value::list(arena.make<List>(std::span<const Value>(buffer->values, size), buffer));
}

Value make_map(std::span<const Entry> entries, Arena& arena) {
  const Table* const table = make_table(entries.size(), arena);
  for (const Entry& entry : entries) table->put(entry);
  return Value::map(arena.make<TableMap>(table, table->used));
}

Value insert(const Map& map, Value key, Value value, Arena& arena) {
  if (map.find(key, arena))
    return make_error(arena, "insert failed: key ", describe(key, arena), " already exists");
  const auto* grown = dynamic_cast<const TableMap*>(&map);
  const Table* table = grown == nullptr ? nullptr : &grown->table();
  if (table == nullptr || table->used != map.size() || table->used == table->capacity) {
    table = make_table(2 * map.size() + 1, arena);
    for (std::size_t i = 0; i < map.size(); ++i) table->put(map.entry(i, arena));
  }
  table->put({key, value});
  return Value::map(arena.make<TableMap>(table, table->used));
}

Value equal(const Value& a, const Value& b, Arena& arena) {
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  if (is_number(a.kind()) && is_number(b.kind())) return Value::boolean(compare_numbers(a, b) == 0);
  if (a.is(Kind::null) || b.is(Kind::null)) return Value::boolean(a.kind() == b.kind());
  if (a.is(Kind::object)) return a.as_object().of->equal(a.as_object(), b);
  if (a.kind() != b.kind()) return Value::boolean(false);
  switch (a.kind()) {
    case Kind::boolean:
    case Kind::duration:
      return Value::boolean(a.as_integer() == b.as_integer());
    case Kind::timestamp:
      return Value::boolean(a.as_integer() == b.as_integer() && a.nanoseconds() == b.nanoseconds());
    case Kind::string:
    case Kind::bytes:
      return Value::boolean(a.as_text() == b.as_text());
    case Kind::type:
      return Value::boolean(a.as_type().name() == b.as_type().name());
    case Kind::list:
      return equal_lists(a.as_list(), b.as_list(), arena);
    case Kind::map:
      return equal_maps(a.as_map(), b.as_map(), arena);
    case Kind::optional:
      if (a.as_optional() == nullptr || b.as_optional() == nullptr)
        return Value::boolean(a.as_optional() == b.as_optional());
      return equal(*a.as_optional(), *b.as_optional(), arena);
    default:
      return Value::boolean(false);
  }
}

std::optional<int> compare(const Value& a, const Value& b) {
  if (is_number(a.kind()) && is_number(b.kind())) return compare_numbers(a, b);
  if (a.kind() != b.kind()) return std::nullopt;
  switch (a.kind()) {
    case Kind::boolean:
    case Kind::duration:
      return order(a.as_integer(), b.as_integer());
    case Kind::timestamp:
      return order(std::pair(a.as_integer(), a.nanoseconds()),
                   std::pair(b.as_integer(), b.nanoseconds()));
    case Kind::string:
    case Kind::bytes:
      return order(a.as_text(), b.as_text());
    default:
      return std::nullopt;
  }
}

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return count;
}

std::uint64_t size_of(const Value& value) {
  switch (value.kind()) {
    case Kind::string:
      return code_points(value.as_text());
    case Kind::bytes:
      return value.as_text().size();
    case Kind::list:
      return value.as_list().values.size();
    case Kind::map:
      return value.as_map().size();
    case Kind::optional:
      return value.as_optional() == nullptr ? 1 : size_of(*value.as_optional());
    case Kind::object: {
      const auto size = value.as_object().of->size;
      return size == nullptr ? 1 : size(value.as_object());
    }
    default:
      return 1;
  }
}

std::string_view type_name(const Value& value) {
  return value.is(Kind::object) ? value.as_object().of->type_name
                                : type_of_kind(value.kind())->name();
}

std::string_view implementation_name(const Value& value) {
  switch (value.kind()) {
    case Kind::null:
      return "types.Null";
    case Kind::boolean:
      return "types.Bool";
    case Kind::integer:
      return "types.Int";
    case Kind::unsigned_integer:
      return "types.Uint";
    case Kind::real:
      return "types.Double";
    case Kind::string:
      return "types.String";
    case Kind::bytes:
      return "types.Bytes";
    case Kind::timestamp:
      return "types.Timestamp";
    case Kind::duration:
      return "types.Duration";
    case Kind::list:
      return "*types.baseList";
    case Kind::map:
      return "*types.baseMap";
    case Kind::type:
      return "*types.Type";
    case Kind::optional:
      return "*types.Optional";
    case Kind::object:
      return value.as_object().of->implementation_name;
    default:
      return type_name(value);
  }
}

std::string describe(const Value& value, Arena& arena) {
  switch (value.kind()) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return value.as_boolean() ? "true" : "false";
    case Kind::integer:
      return std::to_string(value.as_integer());
    case Kind::unsigned_integer:
      return std::to_string(value.as_unsigned());
    case Kind::real:
      return text_of_real(value.as_real());
    case Kind::string:
    case Kind::bytes:
    case Kind::error:
      return std::string(value.as_text());
    case Kind::type:
      return std::string(value.as_type().name());
    case Kind::list: {
      std::string text = "[";
      for (const Value& item : value.as_list().values) {
        if (text.size() > 1) text += ", ";
        if (text.size() > 200) return text + "…]";
        text += describe(item, arena);
      }
      return text + "]";
    }
    case Kind::map: {
      std::string text = "{";
      for (std::size_t i = 0; i < value.as_map().size(); ++i) {
        if (i > 0) text += ", ";
        if (text.size() > 200) return text + "…}";
        const auto [key, item] = value.as_map().entry(i, arena);
        text += describe(key, arena) + ": " + describe(item, arena);
      }
      return text + "}";
    }
    default:
      return std::string(type_name(value));
  }
}

}  // namespace dcm::cel
