// JSONPath as the columns, scales and selectable fields of a definition use it
// (k8s.io/client-go/util/jsonpath): members, indexes, all items, and items by the value of a
// member.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

class JsonPath {
 public:
  // nullopt if not supported.
  static std::optional<JsonPath> parse(std::string_view text);

  // The matching values; empty if a step matches nothing.
  std::vector<const Json*> find(const JsonObject& object) const;

 private:
  enum class Kind { member, index, all, filter };
  struct Step {
    Kind kind;
    std::string name = {};   // of a member, or of the one compared by a filter
    std::int64_t index = 0;  // from the end if negative
    Json value = {};         // of a filter
    bool is_equal = true;    // `==` or `!=`
  };

  static std::optional<Step> parse_bracket(std::string_view inside);
  static void take(const Json& value, const Step& step, std::vector<const Json*>& found);

  std::vector<Step> steps_;
};

}  // namespace dcm::apiserver
