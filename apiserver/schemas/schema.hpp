// How the lists and maps of an API object are merged: the `x-kubernetes-list-type`,
// `-list-map-keys` and their `default`, `-map-type`, `-patch-strategy` and `-patch-merge-key` of
// the published OpenAPI, for the kinds that this server knows. Anything else is an object merged
// member by member, or a list replaced as a whole.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

struct Schema {
  // How server-side apply sees a list.
  enum class List { atomic, map, set };
  // How a strategic merge patch treats a list.
  enum class Patch { replace, merge };
  enum class Object { granular, atomic };

  // Plain JSON, not a Go type, which would omit empty lists.
  bool is_json = false;
  List list = List::atomic;
  std::vector<std::string> keys;  // of a List::map
  JsonObject key_defaults;        // the default of a missing key, if any
  Patch patch = Patch::replace;
  std::string merge_key;  // of Patch::merge; empty for a list of scalars
  Object object = Object::granular;
  std::map<std::string, Schema, std::less<>> fields;  // of the object, or of the list's items
  std::shared_ptr<const Schema> values;               // of a map's members, whatever their names

  // The schema of a member; one without any rule if nothing is known.
  const Schema& field(std::string_view name) const;
};

// The schema of a kind of a group ("" is core) in its first version. Lives as long as the process.
const Schema& schema_of(std::string_view group, std::string_view kind);

}  // namespace dcm::apiserver
