// Validates the rules of a definition (k8s.io/apiextensions-apiserver
// pkg/apis/apiextensions/validation/cel_validation.go).
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "apiserver/definitions/rules.hpp"
#include "apiserver/rules/checks.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::uint64_t kRuleCostMax = 10'000'000;
constexpr std::uint64_t kTotalCostMax = 100'000'000;
constexpr std::uint64_t kMost = ~std::uint64_t{0};

std::uint64_t product(std::uint64_t cost, std::uint64_t count) {
  return cost != 0 && kMost / cost < count ? kMost : cost * count;
}

std::string too_costly(std::string_view what, std::uint64_t cost, std::uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  std::string shown = "more than 100x";
  if (factor <= 100)
    shown = factor < 1.5 ? fmt::format("{:f}x", factor) : fmt::format("{:.1f}x", factor);
  return fmt::format(
      "{} exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, "
      "maxProperties, and maxLength where arrays, maps, and strings are declared)",
      what, shown);
}

// The rule as the internal version shows it.
Json shown_rule(const RuleText& rule) {
  const auto optional = [](bool is_there, Json value) {
    return is_there ? std::move(value) : Json();
  };
  return JsonObject{{"Rule", rule.rule},
                    {"Message", rule.message},
                    {"MessageExpression", rule.message_expression},
                    {"Reason", optional(!rule.reason.empty(), Json(rule.reason))},
                    {"FieldPath", rule.field_path},
                    {"OptionalOldSelf", optional(rule.optional_old_self.has_value(),
                                                 Json(rule.optional_old_self.value_or(false)))}};
}

struct Place {
  std::string path;
  // How often such a value can occur in an object; nullopt if unbounded.
  std::optional<std::uint64_t> count = 1;
  // The enclosing schema that prevents matching values with their predecessors in an update; "" if
  // none.
  std::string uncorrelatable = {};
};

class Checker {
 public:
  Checker(const Causes& of_schema, Causes& causes) : causes_(causes) {
    for (const Cause& cause : of_schema) of_schema_.insert(cause.field);
  }

  void check(const Rules& rules, const Place& place) {
    const std::string& map_type = rules.schema().map_type;
    const bool is_map_known = map_type.empty() || map_type == "granular" || map_type == "atomic";
    const std::string& uncorrelatable =
        is_map_known || !place.uncorrelatable.empty() ? place.uncorrelatable : place.path;
    for (const auto& [name, below] : rules.properties()) {
      check(*below,
            {fmt::format("{}.properties[{}]", place.path, name), place.count, uncorrelatable});
    }
    if (rules.values() != nullptr) {
      check(*rules.values(),
            {place.path + ".additionalProperties",
             times(place.count, rules.schema().property_count.max), place.uncorrelatable});
    }
    if (rules.items() != nullptr) {
      const bool is_map = rules.schema().list_type == "map";
      const bool is_lost = place.uncorrelatable.empty() && !is_map;
      check(*rules.items(),
            {place.path + ".items", times(place.count, rules.schema().item_count.max),
             is_lost ? place.path : place.uncorrelatable});
    }
    if (rules.schema().rules.empty() || is_schema_wrong(place.path)) return;
    if (rules.type() == nullptr) {
      causes_.push_back({"InternalError",
                         "Internal error: internal error: failed to construct type information for "
                         "x-kubernetes-validations rules: unable to convert structural schema to "
                         "CEL declarations",
                         place.path + ".x-kubernetes-validations"});
    }
    std::size_t index = 0;
    for (const CompiledRule& rule : rules.compiled()) {
      one_rule(rule, rules, place, indexed(place.path + ".x-kubernetes-validations", index++));
    }
  }

  void finish(const std::string& path) {
    if (total_ <= kTotalCostMax) return;
    std::ranges::sort(costly_, std::ranges::greater(), &Costly::cost);
    if (costly_.size() > 4) costly_.resize(4);
    for (const Costly& one : costly_) {
      causes_.push_back(forbidden_value(
          one.path,
          "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 "
          "schema"));
    }
    causes_.push_back(forbidden_value(
        path, too_costly("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 "
                         "schema",
                         total_, kTotalCostMax)));
  }

 private:
  struct Costly {
    std::string path;
    std::uint64_t cost;
  };

  bool is_schema_wrong(const std::string& path) const {
    const auto below = of_schema_.lower_bound(path + ".");
    return below != of_schema_.end() && below->starts_with(path + ".");
  }

  static std::optional<std::uint64_t> times(std::optional<std::uint64_t> count,
                                            std::optional<std::int64_t> limit) {
    if (!count || !limit) return std::nullopt;
    return product(*count, static_cast<std::uint64_t>(std::max<std::int64_t>(0, *limit)));
  }

  void note_cost(const std::string& path, std::uint64_t cost) {
    total_ = kMost - total_ < cost ? kMost : total_ + cost;
    if (cost >= kTotalCostMax / 100) costly_.push_back({path, cost});
  }

  void one_rule(const CompiledRule& rule, const Rules& rules, const Place& place,
                const std::string& path) {
    const std::string field = path + ".rule";
    if (!rule.error.empty()) {
      causes_.push_back(invalid_value(field, shown_rule(*rule.text), rule.error));
      return;
    }
    if (rule.program == nullptr || rules.type() == nullptr) return;
    const std::uint64_t count = place.count.value_or(cardinality_of(*rules.type()));
    const std::uint64_t cost = product(rule.program->max_cost(), count);
    if (cost > kRuleCostMax) {
      causes_.push_back(
          forbidden_value(field, too_costly("estimated rule cost", cost, kRuleCostMax)));
    }
    note_cost(field, cost);
    message(rule, path);
    old_self(rule, place, path);
  }

  void message(const CompiledRule& rule, const std::string& path) {
    const std::string field = path + ".messageExpression";
    if (!rule.message_error.empty()) {
      causes_.push_back(invalid_value(field, shown_rule(*rule.text), rule.message_error));
    }
    if (rule.message == nullptr) return;
    const std::uint64_t cost = rule.message->max_cost();
    if (cost > kRuleCostMax) {
      causes_.push_back(forbidden_value(
          field, too_costly("estimated messageExpression cost", cost, kRuleCostMax)));
    }
    note_cost(field, cost);
  }

  void old_self(const CompiledRule& rule, const Place& place, const std::string& path) {
    if (rule.uses_old && !place.uncorrelatable.empty()) {
      causes_.push_back(invalid_value(
          path + ".rule", Json(rule.text->rule),
          fmt::format(
              "oldSelf cannot be used on the uncorrelatable portion of the schema within {}",
              place.uncorrelatable)));
    } else if (!rule.uses_old && rule.text->optional_old_self) {
      causes_.push_back(invalid_value(path + ".optionalOldSelf",
                                      Json(*rule.text->optional_old_self),
                                      "may not be set if oldSelf is not used in rule"));
    }
  }

  std::set<std::string> of_schema_;  // fields with causes
  Causes& causes_;
  std::uint64_t total_ = 0;
  std::vector<Costly> costly_;
};

}  // namespace

void validate_rules(const Rules& rules, const std::string& path, const Causes& of_schema,
                    Causes& causes) {
  Checker checker(of_schema, causes);
  checker.check(rules, {path});
  checker.finish(path);
}

}  // namespace dcm::apiserver
