// Sets of fields of an object, as in server-side apply (KEP-555, structured-merge-diff):
// a tree whose edges are path elements in the notation of metav1.FieldsV1:
//   f:<name>        a member of an object
//   k:{"type":"X"}  an item of a list that is a map, by its keys
//   v:"x"           an item of a list that is a set
#pragma once

#include <map>
#include <string>

#include "apiserver/schemas/schema.hpp"
#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

struct FieldSet {
  bool member = false;  // the field itself belongs to the set
  std::map<std::string, FieldSet, std::less<>> children;

  bool empty() const { return !member && children.empty(); }
  bool operator==(const FieldSet&) const = default;

  const FieldSet* child(std::string_view element) const;
  void insert_all(const FieldSet& other);
  void remove_all(const FieldSet& other);

  // The `fieldsV1` of a managed fields entry.
  JsonObject to_json() const;
  static FieldSet from_json(const JsonObject& fields);
};

FieldSet intersection(const FieldSet& a, const FieldSet& b);

// Whether `fieldsV1` has any field of a set, and whether it has all, without decoding it.
bool overlaps(const JsonObject& fields, const FieldSet& set);
bool covers(const JsonObject& fields, const FieldSet& set);

// Whether the parts of a value have owners of their own. Atomic objects and lists are owned, and
// replaced, as a whole.
bool is_granular(const Json& value, const Schema& schema);

// The path element of a list's item.
std::string item_element(const Json& item, const Schema& list);

// All fields that an object sets.
FieldSet fields_of(const JsonObject& object, const Schema& schema);

// Changed fields: `changed` are in `after` with a new value, `removed` were only in `before`.
struct FieldChanges {
  FieldSet changed;
  FieldSet removed;
};
FieldChanges compare_fields(const JsonObject& before, const JsonObject& after,
                            const Schema& schema);

}  // namespace dcm::apiserver
