#include "apiserver/rules/label_selector.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

bool holds(const JsonObject& term, const JsonObject& labels) {
  const std::string_view op = text_at(term, {"operator"});
  const Json* label = labels.if_contains(text_at(term, {"key"}));
  const JsonArray& values = array_at(term, {"values"});
  const bool is_listed = label != nullptr && std::ranges::find(values, *label) != values.end();
  if (op == "In") return is_listed;
  if (op == "NotIn") return !is_listed;
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

namespace {

using TermsByKey = std::multimap<std::string, std::string, std::less<>>;

std::string text_of(const TermsByKey& terms) {
  if (terms.empty()) return "<none>";
  return fmt::format("{}", fmt::join(std::views::values(terms), ","));
}

void add_labels(TermsByKey& terms, const JsonObject& labels) {
  for (const auto& [key, value] : labels) {
    const std::string_view text = as_text(value);
    terms.emplace(key, fmt::format("{}={}", std::string_view(key), text));
  }
}

// nullopt for an unknown operator.
std::optional<std::string> term_text(const JsonObject& term) {
  const std::string_view op = text_at(term, {"operator"});
  const std::string_view key = text_at(term, {"key"});
  if (op == "Exists") return std::string(key);
  if (op == "DoesNotExist") return fmt::format("!{}", key);
  if (op != "In" && op != "NotIn") return {};
  std::set<std::string_view> values;
  for (const Json& value : array_at(term, {"values"})) {
    if (value.is_string()) values.insert(view(value.get_string()));
  }
  return fmt::format("{} {} ({})", key, op == "In" ? "in" : "notin", fmt::join(values, ","));
}

}  // namespace

std::string selector_text(const Json* selector) {
  if (selector == nullptr || !selector->is_object()) return "<none>";
  TermsByKey terms;
  add_labels(terms, object_at(selector->get_object(), {"matchLabels"}));
  for (const Json& item : array_at(selector->get_object(), {"matchExpressions"})) {
    auto text = term_text(as_object(item));
    if (!text) return "<error>";
    terms.emplace(text_at(as_object(item), {"key"}), *std::move(text));
  }
  return text_of(terms);
}

std::string labels_text(const JsonObject& labels) {
  TermsByKey terms;
  add_labels(terms, labels);
  return text_of(terms);
}

namespace {

void validate_operator(const JsonObject& term, const std::string& path, Causes& causes) {
  const std::string_view op = text_at(term, {"operator"});
  const bool has_values = !array_at(term, {"values"}).empty();
  if (op == "In" || op == "NotIn") {
    if (has_values) return;
    causes.push_back(
        required_value(path + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!has_values) return;
    causes.push_back(forbidden_value(
        path + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else {
    causes.push_back(invalid_value(path + ".operator", Json(op), "not a valid selector operator"));
  }
}

}  // namespace

void validate_label_selector(const JsonObject& selector, const std::string& path, Causes& causes) {
  validate_labels(object_at(selector, {"matchLabels"}), path + ".matchLabels", causes);
  const JsonArray& terms = array_at(selector, {"matchExpressions"});
  for (const auto& [term, here] : with_paths(terms, path + ".matchExpressions")) {
    validate_operator(term, here, causes);
    validate_qualified_name(text_at(term, {"key"}), here + ".key", causes);
    const JsonArray& values = array_at(term, {"values"});
    for (const auto& [value, at] : texts_with_paths(values, here + ".values")) {
      validate_label_value(value, at, causes);
    }
  }
}

}  // namespace dcm::apiserver
