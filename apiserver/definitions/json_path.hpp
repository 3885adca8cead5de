// JSONPath as the columns, scales and selectable fields of a definition use it
// (k8s.io/client-go/util/jsonpath): members, indexes, all items, and items by a value within them.
#pragma once

#include <optional>
#include <span>
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
    std::string name = {};            // of a member
    std::int64_t index = 0;           // from the end if negative
    std::vector<Step> compared = {};  // of a filter: what it looks at in an item
    std::string operation = {};       // "==", "<=", …; "": it is there
    Json value = {};

    bool accepts(const Json& item) const;
  };

  bool add_bracket(std::string_view inside);
  static std::optional<Step> parse_filter(std::string_view condition);
  static void take(const Json& value, const Step& step, std::vector<const Json*>& found);
  static std::vector<const Json*> follow(const Json& value, std::span<const Step> steps);

  std::vector<Step> steps_;
};

}  // namespace dcm::apiserver
