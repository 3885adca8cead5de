// Fields of maps and elements of lists: a.b, a[i], and whether they exist.
#pragma once

#include "cel/value.hpp"

namespace dcm::cel {

// Whether a map or list accepts it as a key.
bool is_key(const Value& key);
// nullopt if there is none. Returns an error if the key is invalid.
std::optional<Value> look_up(const Value& container, const Value& key, Arena& arena);
// "no such key: x", "index out of bounds: 3".
Value missing(const Value& container, const Value& key, Arena& arena);

}  // namespace dcm::cel
