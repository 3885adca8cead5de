#include "allocation/node_selector.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace dcm::allocation {
namespace {

using Matched = std::expected<bool, std::string>;

std::optional<std::int64_t> to_integer(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

// Empty if the selector is valid.
std::string fault_of(const NodeRequirement& requirement) {
  const std::string& how = requirement.operator_;
  const std::size_t values = requirement.values.size();
  if (how == "In" || how == "NotIn") {
    return values > 0 ? "" : "for 'in', 'notin' operators, values set can't be empty";
  }
  if (how == "Exists" || how == "DoesNotExist") {
    return values == 0 ? "" : "values set must be empty for exists and does not exist";
  }
  if (how != "Gt" && how != "Lt") {
    return fmt::format("\"{}\" is not a valid label selector operator", how);
  }
  if (values != 1) return "for 'Gt', 'Lt' operators, exactly one value is required";
  return to_integer(requirement.values[0])
             ? ""
             : "for 'Gt', 'Lt' operators, the value must be an integer";
}

std::string field_fault_of(const NodeRequirement& requirement) {
  const std::string& how = requirement.operator_;
  if (how != "In" && how != "NotIn") {
    return fmt::format("\"{}\" is not a valid node selector operator for fields", how);
  }
  return requirement.values.size() == 1 ? "" : "exactly one value is required for a field";
}

// nullopt: the node has no such label or field.
bool is_met(const NodeRequirement& requirement, std::optional<std::string_view> value) {
  const std::string& how = requirement.operator_;
  if (how == "Exists") return value.has_value();
  if (how == "DoesNotExist") return !value;
  const auto has = [&] {
    return std::ranges::find(requirement.values, *value) != requirement.values.end();
  };
  if (how == "In") return value && has();
  if (how == "NotIn") return !value || !has();
  const auto number = value ? to_integer(*value) : std::nullopt;
  if (!number) return false;
  const std::int64_t limit = *to_integer(requirement.values[0]);
  return how == "Gt" ? *number > limit : *number < limit;
}

bool is_met(const NodeSelectorTerm& term, const Node& node) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  const auto label_of = [&](const std::string& key) {
    const auto label = node.labels.find(key);
    return label == node.labels.end() ? std::nullopt
                                      : std::optional<std::string_view>(label->second);
  };
  return std::ranges::all_of(
             term.match_expressions,
             [&](const auto& wanted) { return is_met(wanted, label_of(wanted.key)); }) &&
         std::ranges::all_of(term.match_fields, [&](const auto& wanted) {
           return is_met(wanted, wanted.key == "metadata.name" ? std::optional(node.name.view())
                                                               : std::nullopt);
         });
}

std::string fault_of(const NodeSelectorTerm& term) {
  for (const NodeRequirement& requirement : term.match_expressions) {
    if (std::string fault = fault_of(requirement); !fault.empty()) return fault;
  }
  for (const NodeRequirement& requirement : term.match_fields) {
    if (std::string fault = field_fault_of(requirement); !fault.empty()) return fault;
  }
  return {};
}

bool is_any_met(const NodeSelector& selector, const Node& node) {
  return std::ranges::any_of(selector.terms, [&](const NodeSelectorTerm& term) {
    return fault_of(term).empty() && is_met(term, node);
  });
}

}  // namespace

Closure closure_of(const Node& node, std::span<const Toleration> tolerations) {
  static const Taint kCordoned{.key = "node.kubernetes.io/unschedulable"};
  if (node.is_unschedulable && !tolerates(tolerations, kCordoned)) return Closure::cordon;
  return find_untolerated(node.taints, tolerations) == nullptr ? Closure::none : Closure::taint;
}

bool operator==(const NodeRequirement& a, const NodeRequirement& b) {
  const auto set_of = [](const auto& values) {
    return std::set<std::string>(values.begin(), values.end());
  };
  return a.key == b.key && a.operator_ == b.operator_ && set_of(a.values) == set_of(b.values);
}

Matched matches(const NodeSelector& selector, const Node& node) {
  for (const NodeSelectorTerm& term : selector.terms) {
    if (std::string fault = fault_of(term); !fault.empty()) {
      return std::unexpected("failed to parse node selector: " + fault);
    }
  }
  return is_any_met(selector, node);
}

bool RequiredNodeAffinity::matches(const Node& node) const {
  const bool has_labels = std::ranges::all_of(node_selector, [&](const auto& wanted) {
    const auto label = node.labels.find(wanted.first);
    return label != node.labels.end() && label->second == wanted.second;
  });
  return has_labels && (!affinity || is_any_met(*affinity, node));
}

Matched reaches(const NodeChoice& choice, const Node& node) {
  if (choice.node_name && !choice.node_name->empty()) return *choice.node_name == node.name;
  if (choice.all_nodes) return true;
  return choice.selector ? matches(*choice.selector, node) : Matched(false);
}

}  // namespace dcm::allocation
