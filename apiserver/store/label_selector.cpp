#include "apiserver/store/label_selector.hpp"

#include <algorithm>

#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

namespace {

bool holds(const JsonObject& term, const JsonObject& labels) {
  const std::string_view op = text_at(term, {"operator"});
  const Json* label = labels.if_contains(text_at(term, {"key"}));
  const JsonArray& values = array_at(term, {"values"});
  const bool listed = label != nullptr && std::ranges::find(values, *label) != values.end();
  if (op == "In") return listed;
  if (op == "NotIn") return !listed;
  if (op == "Exists") return label != nullptr;
  return op == "DoesNotExist" && label == nullptr;
}

}  // namespace

bool selects(const JsonObject* selector, const JsonObject& labels) {
  if (selector == nullptr) return false;
  for (const auto& [key, value] : object_at(*selector, {"matchLabels"})) {
    const Json* label = labels.if_contains(key);
    if (label == nullptr || *label != value) return false;
  }
  return std::ranges::all_of(array_at(*selector, {"matchExpressions"}), [&](const Json& term) {
    return term.is_object() && holds(term.get_object(), labels);
  });
}

void validate_label_selector(const JsonObject& selector, const std::string& path, Causes& causes) {
  std::size_t index = 0;
  for (const Json& item : array_at(selector, {"matchExpressions"})) {
    const std::string here = indexed(path + ".matchExpressions", index++);
    if (!item.is_object()) continue;
    const std::string_view op = text_at(item.get_object(), {"operator"});
    const bool any_values = !array_at(item.get_object(), {"values"}).empty();
    if (op == "In" || op == "NotIn") {
      if (any_values) continue;
      causes.push_back(
          required_value(here + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (op == "Exists" || op == "DoesNotExist") {
      if (!any_values) continue;
      causes.push_back(forbidden_value(
          here + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    } else {
      causes.push_back(
          invalid_value(here + ".operator", Json(op), "not a valid selector operator"));
    }
  }
}

}  // namespace dcm::apiserver
