// A value in a JSON document that is being read, and functions that read it into a projection's
// fields. This header does not include the parser, which keeps its users' builds fast.
//
// For a type of your own, add
//
//   bool read_json(dcm::api::json::FieldValue from, Port& port) {
//     return from.each_field([&](std::string_view key, FieldValue value) {
//       if (key == "name") return read_json(value, port.name);
//       if (key == "containerPort") return read_json(value, port.number);
//       return true;
//     });
//   }
//
// Null and a missing field are the same: the member keeps its initial value.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/api/condition.hpp"
#include "client/api/meta.hpp"
#include "runtime/time.hpp"

namespace dcm::api::json {

class Reader;

// Valid during the call that receives it. A value can be read once.
class FieldValue {
 public:
  // Both outlive it; `value` is the parser's.
  FieldValue(Reader& reader, void* value) : reader_(&reader), value_(value) {}

  // False aborts the reading, which then fails as a whole: return it from your own function.
  [[nodiscard]] bool each_field(
      const std::function<bool(std::string_view key, FieldValue value)>& on_field) const;
  [[nodiscard]] bool each_item(const std::function<bool(FieldValue item)>& on_item) const;
  // Reports why the value is invalid, with its path in the object.
  [[nodiscard]] bool fail(std::string_view why) const;

  Reader& reader() const { return *reader_; }
  void* value() const { return value_; }

 private:
  Reader* reader_;
  void* value_;
};

// The unparsed JSON text of a value of any type, to pass to a JSON library.
struct RawJson {
  std::string text;  // empty: missing
};

[[nodiscard]] bool read_json(FieldValue from, std::string& text);
[[nodiscard]] bool read_json(FieldValue from, bool& flag);
[[nodiscard]] bool read_json(FieldValue from, int& number);
[[nodiscard]] bool read_json(FieldValue from, std::int64_t& number);
[[nodiscard]] bool read_json(FieldValue from, double& number);
[[nodiscard]] bool read_json(FieldValue from, RawJson& raw);
// Labels, annotations, `data`.
[[nodiscard]] bool read_json(FieldValue from, std::map<std::string, std::string>& texts);
// A metav1.Time, as `metadata.creationTimestamp`.
[[nodiscard]] bool read_json(FieldValue from, runtime::WallTime& time);
[[nodiscard]] bool read_json(FieldValue from, Condition& condition);
// From `metadata.ownerReferences`: the one with `controller: true`.
[[nodiscard]] bool read_json(FieldValue from, std::optional<ControllerRef>& owner);

template <class M>
concept Readable = requires(FieldValue from, M& member) {
  { read_json(from, member) } -> std::same_as<bool>;
};

template <Readable M>
[[nodiscard]] bool read_json(FieldValue from, std::vector<M>& items) {
  return from.each_item([&items](FieldValue item) {
    items.emplace_back();
    return read_json(item, items.back());
  });
}

template <Readable M>
[[nodiscard]] bool read_json(FieldValue from, std::optional<M>& member) {
  return read_json(from, member.emplace());
}

}  // namespace dcm::api::json
