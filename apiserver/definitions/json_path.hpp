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
  // nullopt: not one of those that are understood.
  static std::optional<JsonPath> parse(std::string_view text);

  // What is there; nothing where a step finds nothing.
  std::vector<const Json*> find(const JsonObject& object) const;

 private:
  enum class Kind { member, index, all, filter };
  struct Step {
    Kind kind;
    std::string name = {};   // of a member, or of the one that a filter compares
    std::int64_t index = 0;  // from the end, if it is negative
    Json value = {};         // of a filter
    bool is_equal = true;    // `==` or `!=`
  };

  static std::optional<Step> parse_bracket(std::string_view inside);
  static void take(const Json& value, const Step& step, std::vector<const Json*>& found);

  std::vector<Step> steps_;
};

}  // namespace dcm::apiserver
