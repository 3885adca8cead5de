// A kind's fields as a table, one row for each: its name in JSON, its number in protobuf, and where
// it goes. The same table is read from either format.
//
//   struct Port {
//     std::string name;
//     std::int64_t number = 0;
//     std::vector<std::string> addresses;
//   };
//   constexpr auto fields_of(const Port*) {
//     return rows(row<"name", 1>(&Port::name), row<"containerPort", 3>(&Port::number),
//                 row<"status", 4>(rows(row<"addresses", 1>(&Port::addresses))));
//   }
//
// A row's target is
//   - a member, of any type that read_value() below lists;
//   - rows(…): a message whose fields go into the same object;
//   - a function object below, such as each<Port>(function);
//   - a function `bool(const Source&, T&)` of yours.
//
// A Source is a value that is being read: json::Source, json::FieldValue or protobuf::Source. A
// missing field and a null leave a member at its initial value; fields without a row are skipped.
// All reading functions return false after an error, which the source has then recorded.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "client/api/condition.hpp"
#include "client/api/format.hpp"
#include "client/api/meta.hpp"
#include "runtime/time.hpp"

namespace dcm::api {

// Text that is only compared, so nobody checks whether it is UTF-8. Valid as long as its document.
struct Word : std::string_view {
  using std::string_view::string_view;
};

// A value that is present but never read.
struct Unread {};

// A name as a template's argument: where a table is read, the compiler knows what it compares with.
template <std::size_t kSize>
struct FieldName {
  constexpr FieldName(const char (&text)[kSize]) { std::copy_n(text, kSize, chars); }
  constexpr std::string_view view() const { return {chars, kSize - 1}; }

  char chars[kSize];
};

// `kNumber` is 0 in a kind that is read from JSON only.
template <FieldName kName, std::uint32_t kNumber, class Target>
struct Row {
  Target target;

  static constexpr bool is(std::string_view key) { return key == kName.view(); }
  static constexpr bool is(std::uint32_t key) { return key == kNumber; }
};

template <FieldName kName, std::uint32_t kNumber = 0, class Target>
constexpr Row<kName, kNumber, Target> row(Target target) {
  return {std::move(target)};
}

// A row for an entry of a map, found by its key.
template <class Target>
struct EntryRow {
  std::string_view key;
  Target target;

  constexpr bool is(std::string_view other) const { return other == key; }
};

template <class Target>
constexpr EntryRow<Target> entry(std::string_view key, Target target) {
  return {key, std::move(target)};
}

// What happens to fields without a row.
struct PassOver {
  bool operator()(auto&&...) const { return true; }
};

template <class Otherwise, class... Each>
struct Rows {
  std::tuple<Each...> all;
  Otherwise unknown = {};

  // Passes fields without a row to `handle(key, const Source&, T&)`, which returns whether it
  // succeeded.
  template <class Handle>
  constexpr Rows<Handle, Each...> otherwise(Handle handle) const {
    return {all, std::move(handle)};
  }
};

template <class... Each>
constexpr Rows<PassOver, Each...> rows(Each... all) {
  return {{std::move(all)...}};
}

// The rows of both tables.
template <class... A, class... B>
constexpr Rows<PassOver, A..., B...> operator+(const Rows<PassOver, A...>& a,
                                               const Rows<PassOver, B...>& b) {
  return {std::tuple_cat(a.all, b.all)};
}

template <class Target>
inline constexpr bool kIsRows = false;
template <class... Parts>
inline constexpr bool kIsRows<Rows<Parts...>> = true;

// The table of a type, given by the function `fields_of(const T*)` declared next to it.
template <class T>
concept HasFields = requires(const T* none) { fields_of(none); };
template <HasFields T>
inline constexpr auto kFieldsOf = fields_of(static_cast<const T*>(nullptr));

// ---- reading ------------------------------------------------------------------------------------

template <class Source, class M>
[[nodiscard]] bool read_value(const Source& from, M& out);

// Calls a function, and returns its result, or true if it returns nothing.
template <class Function, class... Args>
[[nodiscard]] bool succeeds(const Function& function, Args&&... args) {
  if constexpr (std::is_void_v<std::invoke_result_t<const Function&, Args...>>) {
    function(std::forward<Args>(args)...);
    return true;
  } else {
    return function(std::forward<Args>(args)...);
  }
}

// Whether a row has this key. If so, reads the field; `is_read` becomes false if that fails.
template <class Table, class Key, class Source, class T>
[[nodiscard, gnu::always_inline]] inline bool offer(const Table& table, const Key& key,
                                                    const Source& from, T& out, bool& is_read);

// Reads the field of an object that has this key.
template <class Table, class Key, class Source, class T>
[[nodiscard, gnu::always_inline]] inline bool read_field(const Table& table, const Key& key,
                                                         const Source& from, T& out) {
  bool is_read = true;
  if (offer(table, key, from, out, is_read)) return is_read;
  return table.unknown(key, from, out);
}

// Reads all fields of an object.
template <class Source, class T, class Table>
[[nodiscard]] bool read_fields(const Source& from, T& out, const Table& table) {
  return from.each_field(
      [&](const auto& key, const Source& field) { return read_field(table, key, field, out); });
}

template <class Target, class Source, class T>
[[nodiscard, gnu::always_inline]] inline bool read_target(const Target& target, const Source& from,
                                                          T& out) {
  if constexpr (std::is_member_object_pointer_v<Target>) {
    return read_value(from, out.*target);
  } else if constexpr (kIsRows<Target>) {
    return read_fields(from, out, target);
  } else {
    return target(from, out);
  }
}

template <class Table, class Key, class Source, class T>
[[gnu::always_inline]] inline bool offer(const Table& table, const Key& key, const Source& from,
                                         T& out, bool& is_read) {
  return std::apply(
      [&](const auto&... each) __attribute__((always_inline)) {
        return ((each.is(key) && (is_read = read_target(each.target, from, out), true)) || ...);
      },
      table.all);
}

// A std::vector, or a container like it.
template <class M>
concept List = requires(M& list) {
  list.emplace_back();
  list.shrink_to_fit();
};
template <class M>
inline constexpr bool kIsOptional = false;
template <class M>
inline constexpr bool kIsOptional<std::optional<M>> = true;
template <class M>
inline constexpr bool kIsTextMap = false;
template <class M>
inline constexpr bool kIsTextMap<std::map<std::string, M>> = true;

template <class Source, class M>
[[nodiscard]] bool read_int(const Source& from, M& out) {
  std::int64_t wide = 0;
  if (!from.integer(wide)) return false;
  if (!std::in_range<M>(wide)) return from.fail("the number is out of range");
  out = static_cast<M>(wide);
  return true;
}

template <class Source>
[[nodiscard]] bool read_time(const Source& from, runtime::WallTime& out) {
  std::optional<runtime::WallTime> time;
  if (!from.time(time)) return false;
  if (time) out = *time;
  return true;
}

template <class Source, class Enum>
[[nodiscard]] bool read_enum(const Source& from, Enum& out) {
  Word word;
  if (!from.word(word)) return false;
  from_word(word, out);
  return true;
}

template <class Source, class Text>
[[nodiscard]] bool read_text(const Source& from, Text& out) {
  std::string_view text;
  if (!from.text(text)) return false;
  out = Text(text);
  return true;
}

template <class Source, List M>
[[nodiscard]] bool read_list(const Source& from, M& out) {
  const bool is_read =
      from.each_item([&](const Source& item) { return read_value(item, out.emplace_back()); });
  if constexpr (Source::kFormat == Format::json) out.shrink_to_fit();
  return is_read;
}

template <class Source, class M>
[[nodiscard]] bool read_map(const Source& from, std::map<std::string, M>& out) {
  return from.each_entry([&](std::string_view key, const Source& value) {
    return value.count_item() && read_value(value, out[std::string(key)]);
  });
}

// The types that a member may have: texts, flags, numbers, times; an enum with a function
// `from_word(std::string_view, E&)`; a type with `fields_of`, or with a `read_json(Source, T&)` of
// its own; and vectors, optionals and maps from text of these.
template <class Source, class M>
bool read_value(const Source& from, M& out) {
  if constexpr (requires {
                  { read_json(from, out) } -> std::same_as<bool>;
                }) {
    return read_json(from, out);
  } else if constexpr (std::same_as<M, Unread>) {
    return true;
  } else if constexpr (std::same_as<M, Word>) {
    return from.word(out);
  } else if constexpr (std::same_as<M, std::string_view>) {
    return from.text(out);
  } else if constexpr (std::same_as<M, bool>) {
    return from.flag(out);
  } else if constexpr (std::same_as<M, std::int64_t>) {
    return from.integer(out);
  } else if constexpr (std::integral<M>) {
    return read_int(from, out);
  } else if constexpr (std::same_as<M, std::optional<runtime::WallTime>>) {
    return from.time(out);
  } else if constexpr (std::same_as<M, runtime::WallTime>) {
    return read_time(from, out);
  } else if constexpr (HasFields<M>) {
    return read_fields(from, out, kFieldsOf<M>);
  } else if constexpr (requires { from_word(std::string_view(), out); }) {
    return read_enum(from, out);
  } else if constexpr (List<M>) {
    return read_list(from, out);
  } else if constexpr (kIsTextMap<M>) {
    return read_map(from, out);
  } else if constexpr (kIsOptional<M>) {
    return from.is_null() || read_value(from, out.emplace());
  } else {
    static_assert(std::constructible_from<M, std::string_view>,
                  "a field is a std::string, bool, int, std::int64_t, double, runtime::WallTime, "
                  "api::Condition, std::optional<api::ControllerRef>, RawJson, a std::vector, "
                  "std::optional or std::map<std::string, …> of one, or a type of yours with "
                  "`fields_of` or `read_json` beside it");
    return read_text(from, out);
  }
}

// ---- targets of rows ----------------------------------------------------------------------------

// Reads a V, and hands it to `take(V&&, T&)`: for a member that is computed.
template <class V, class Take>
constexpr auto one(Take take) {
  return [take](const auto& from, auto& out) {
    V read{};
    return read_value(from, read) && succeeds(take, std::move(read), out);
  };
}
template <class V, class Table, class Take>
constexpr auto one(Table table, Take take) {
  return [table, take](const auto& from, auto& out) {
    V read{};
    return read_fields(from, read, table) && succeeds(take, std::move(read), out);
  };
}

// The same for each item of a list.
template <class V, class... TableAndTake>
constexpr auto each(TableAndTake... parts) {
  return [target = one<V>(parts...)](const auto& from, auto& out) {
    return from.each_item([&](const auto& item) { return target(item, out); });
  };
}

// A list whose items are read into elements of a member, by a table of their own.
template <class List, class Table>
constexpr auto list(List member, Table table) {
  return [member, table](const auto& from, auto& out) {
    return from.each_item(
        [&](const auto& item) { return read_fields(item, (out.*member).emplace_back(), table); });
  };
}

// A list of messages whose fields go into the same object.
template <class Table>
constexpr auto items(Table table) {
  return [table](const auto& from, auto& out) {
    return from.each_item([&](const auto& item) { return read_fields(item, out, table); });
  };
}

// A member of a member.
template <class Member, class Target>
constexpr auto at(Member member, Target target) {
  return [member, target](const auto& from, auto& out) {
    return read_target(target, from, out.*member);
  };
}

// A message whose presence counts: calls `mark(T&)`, then reads its fields.
template <class Mark, class Table>
constexpr auto present(Mark mark, Table table) {
  return [mark, table](const auto& from, auto& out) {
    if (from.is_null()) return true;
    mark(out);
    return read_fields(from, out, table);
  };
}

// A flag that several fields may set.
template <class Member>
constexpr auto any(Member member) {
  return one<bool>([member](bool is_set, auto& out) { out.*member |= is_set; });
}

// A map from text to text, of which only the keys of these `entry`s are read.
template <class... Each>
constexpr auto entries(Each... wanted) {
  return [table = rows(std::move(wanted)...)](const auto& from, auto& out) {
    return from.each_entry([&](std::string_view key, const auto& value) {
      return read_field(table, key, value, out);
    });
  };
}

// Reads a message's fields, then passes its bytes as they came to `take(std::string_view, Format,
// T&)`. Not called for a null.
template <class Table, class Take>
constexpr auto raw(Table table, Take take) {
  return [table, take](const auto& from, auto& out) {
    std::string_view bytes;
    if (from.is_null()) return true;
    if (!from.raw(bytes, [&](const auto& key, const auto& field) {
          return read_field(table, key, field, out);
        })) {
      return false;
    }
    return succeeds(take, bytes, std::decay_t<decltype(from)>::kFormat, out);
  };
}

// For a decoder: the fields of a kind that has one table for all of its versions.
template <class T>
struct TableFields {
  bool read_field(std::string_view, const auto& key, const auto& from, T& out) const {
    return api::read_field(kFieldsOf<T>, key, from, out);
  }
  bool is_kept(const T&) const { return true; }
};

// ---- metav1 -------------------------------------------------------------------------------------

// What every object has.
constexpr auto fields_of(const ObjectMeta*) {
  return rows(
      row<"name", 1>(at(&ObjectMeta::key, &NamespacedName::name)),
      row<"namespace", 3>(at(&ObjectMeta::key, &NamespacedName::namespace_)),
      row<"uid", 5>(&ObjectMeta::uid), row<"resourceVersion", 6>(&ObjectMeta::resource_version),
      row<"deletionTimestamp", 9>(
          one<Word>([](Word when, ObjectMeta& meta) { meta.is_being_deleted = !when.empty(); })));
}

// `metadata`: reads what every object has into its `meta`, and the kind's own rows into the object.
// `managedFields`, often the largest part of an object, is skipped like all unused fields.
template <class... Each>
constexpr auto metadata(Each... own) {
  return [table = rows(std::move(own)...)](const auto& from, auto& out) {
    return from.each_field([&](const auto& key, const auto& field) {
      bool is_read = true;
      return (offer(kFieldsOf<ObjectMeta>, key, field, out.meta, is_read) ||
              read_field(table, key, field, out)) &&
             is_read;
    });
  };
}

// metav1.Condition.
constexpr auto fields_of(const Condition*) {
  return rows(row<"type", 1>(&Condition::type), row<"status", 2>(&Condition::status),
              row<"observedGeneration", 3>(&Condition::observed_generation),
              row<"lastTransitionTime", 4>(&Condition::last_transition_time),
              row<"reason", 5>(&Condition::reason), row<"message", 6>(&Condition::message));
}

// An entry of metadata.ownerReferences. Valid as long as its document.
struct OwnerView {
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
  bool is_controller = false;

  ControllerRef ref() const;
};
constexpr auto fields_of(const OwnerView*) {
  return rows(row<"apiVersion", 5>(&OwnerView::api_version), row<"kind", 1>(&OwnerView::kind),
              row<"name", 3>(&OwnerView::name), row<"uid", 4>(&OwnerView::uid),
              row<"controller", 6>(&OwnerView::is_controller));
}
// The whole list; `take(ControllerRef, T&)` gets the controller.
template <class Take>
constexpr auto controller(Take take) {
  return each<OwnerView>([take](OwnerView owner, auto& out) {
    if (owner.is_controller) take(owner.ref(), out);
  });
}

}  // namespace dcm::api
