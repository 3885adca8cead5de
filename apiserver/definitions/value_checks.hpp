// What a schema says about a value by itself, without the values in it: its type, the allowed
// values, the limits of a string or a number.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "apiserver/definitions/bounded_causes.hpp"
#include "apiserver/definitions/structural.hpp"
#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// `base` precedes the paths in the fields of causes, but not in their texts.
struct ValuePlace {
  const std::string& base;
  const std::string& path;

  std::string field() const;
};

// Results of validating a value. `matches`: the number of passed checks, which selects the best of
// several alternatives.
struct ValueResult {
  BoundedCauses causes = {};
  std::size_t matches = 0;

  bool is_valid() const { return causes.empty(); }
  void merge(ValueResult other);
};

// What is checked: for a default, the real server knows `x-kubernetes-int-or-string` as no type of
// its own, and all formats.
enum class Subject { object, default_value };

ValueResult check_type(const Json& value, const Structural& schema, const ValuePlace& place,
                       Subject subject);
ValueResult check_allowed_values(const Json& value, const Structural& schema,
                                 const ValuePlace& place);
ValueResult check_text(std::string_view text, const Structural& schema, const ValuePlace& place);
ValueResult check_number(const Json& value, const Structural& schema, const ValuePlace& place);

// A cause without a value: what allOf and the like say about the whole.
Cause about_the_whole(const std::string& base, std::string message);

}  // namespace dcm::apiserver
