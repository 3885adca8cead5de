// The identity of list items: in a set by value, in a map by keys; and what has changed.
#pragma once

#include <string>
#include <unordered_map>

#include "apiserver/definitions/structural.hpp"
#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// The items of a list before an update, if the list is a map. The list and the schema must outlive
// it.
class OldItems {
 public:
  OldItems(const Json* old_list, const Structural& list);

  // The one with the same keys; of several the first. Null if there is none.
  const Json* find(const Json& item) const;

 private:
  const Structural& list_;
  std::unordered_map<std::string, const Json*> items_;  // by their keys as JSON
};

// Whether an update leaves the value as it is, with the items of maps in any order. An object with
// fields outside the schema is always changed, as for a real server (k8s.io/apiserver
// pkg/cel/common, CachedDeepEqual). `old`: null if there is none.
bool is_unchanged(const Json* old, const Json& value, const Structural& schema);

// Reports duplicate items in lists that are sets or maps.
void validate_unique_items(const Json& value, const Structural& schema, const std::string& path,
                           Causes& causes);

}  // namespace dcm::apiserver
