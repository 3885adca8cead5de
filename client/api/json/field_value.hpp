// A value in a JSON document that is being read, for the rows of a projection (projection.hpp). The
// parser stays out of this header, and so out of its users' builds.
//
// A type of your own is read by its rows (client/api/fields.hpp):
//
//   constexpr auto fields_of(const Port*) {
//     using namespace dcm::api;
//     return rows(row<"name">(&Port::name), row<"containerPort">(&Port::number));
//   }
//
// Or, where that is not enough, by a function declared next to it:
//
//   bool read_json(dcm::api::json::FieldValue from, Port& port) {
//     return from.each_field([&](std::string_view key, FieldValue value) {
//       return key != "name" || value.read(port.name);
//     });
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "client/api/fields.hpp"
#include "client/api/meta.hpp"
#include "runtime/time.hpp"

namespace dcm::api::json {

class Reader;

// Valid only during the call that receives it. A value can be read once.
class FieldValue {
 public:
  static constexpr Format kFormat = Format::json;
  using OnField = std::function<bool(std::string_view key, FieldValue value)>;
  using OnItem = std::function<bool(FieldValue item)>;

  // Both must outlive it; `value` belongs to the parser.
  FieldValue(Reader& reader, void* value) : reader_(&reader), value_(value) {}

  // If this returns false, all reading has failed: return false from your own function, too.
  template <class M>
  [[nodiscard]] bool read(M& member) const {
    return read_value(*this, member);
  }
  [[nodiscard]] bool each_field(const OnField& on_field) const;
  [[nodiscard]] bool each_item(const OnItem& on_item) const;
  // Reports why the value cannot be taken, with its place in the object.
  [[nodiscard]] bool fail(std::string_view why) const;

  // The functions below are for rows (as in json::Source).
  bool is_null() const;
  bool text(std::string_view& out) const;
  bool word(std::string_view& out) const { return text(out); }
  bool flag(bool& out) const;
  bool integer(std::int64_t& out) const;
  bool number(double& out) const;
  bool time(std::optional<runtime::WallTime>& out) const;
  // The text of a value of any type.
  bool any(std::string_view& out) const;
  bool each_entry(const OnField& on_entry) const { return each_field(on_entry); }
  bool count_item() const;

 private:
  Reader* reader_;
  void* value_;
};

// The text of a value of any type as it stands in the object: for what you hand to a JSON library.
struct RawJson {
  std::string text;  // empty: missing
};
[[nodiscard]] bool read_json(FieldValue from, RawJson& raw);
[[nodiscard]] bool read_json(FieldValue from, double& number);
// From `metadata.ownerReferences`, reads the one with `controller: true`.
[[nodiscard]] bool read_json(FieldValue from, std::optional<ControllerRef>& owner);

}  // namespace dcm::api::json
