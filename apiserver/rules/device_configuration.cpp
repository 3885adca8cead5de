#include "apiserver/rules/device_configuration.hpp"

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/device_names.hpp"
#include "cel/kubernetes/selector.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kSelectorsMax = 32;
constexpr std::size_t kParametersMax = 10 * 1024;
constexpr std::size_t kExpressionMax = 10 * 1024;
constexpr std::uint64_t kExpressionCostMax = 1'000'000;

void validate_expression(std::string_view expression, const std::string& path, Causes& causes) {
  if (expression.size() > kExpressionMax) return causes.push_back(too_long(path, kExpressionMax));
  // The same expressions recur.
  static cel::SelectorCompiler compiler;
  const auto selector = compiler.compile(expression, cel::Environment::new_expressions);
  if (!selector) {
    causes.push_back(bad_expression(path, expression, selector.error()));
  } else if ((*selector)->max_cost() > kExpressionCostMax) {
    causes.push_back(forbidden_value(path, "too complex, exceeds cost limit"));
  }
}

}  // namespace

void validate_device_selectors(const JsonArray& selectors, const std::string& path,
                               Causes& causes) {
  if (selectors.size() > kSelectorsMax) {
    causes.push_back(too_many(path, selectors.size(), kSelectorsMax));
    return;
  }
  for (const auto& [selector, at] : with_paths(selectors, path)) {
    if (has(selector, {"cel"})) {
      validate_expression(text_at(selector, {"cel", "expression"}), at + ".cel.expression", causes);
    } else {
      causes.push_back(required_value(at + ".cel"));
    }
  }
}

void validate_raw_object(const Json& value, const std::string& path, std::size_t bytes_max,
                         Causes& causes) {
  if (serialize(value).size() > bytes_max) {
    causes.push_back(too_long(path, bytes_max));
  } else if (value.is_null()) {
    causes.push_back(required_value(path));
  } else if (!value.is_object()) {
    causes.push_back(invalid_value(path, "<value omitted>", "must be a valid JSON object"));
  }
}

void validate_configuration(const JsonObject& configuration, const std::string& path,
                            Causes& causes) {
  const std::string at = path + ".opaque";
  if (!has(configuration, {"opaque"})) {
    causes.push_back(required_value(at));
    return;
  }
  validate_caseless_driver_name(text_at(configuration, {"opaque", "driver"}), at + ".driver",
                                causes);
  const Json* const parameters = find(configuration, {"opaque", "parameters"});
  validate_raw_object(parameters != nullptr ? *parameters : Json(), at + ".parameters",
                      kParametersMax, causes);
}

void validate_configurations(const JsonArray& configurations, const std::string& path,
                             Causes& causes) {
  if (configurations.size() > kConfigurationsMax) {
    causes.push_back(too_many(path, configurations.size(), kConfigurationsMax));
    return;
  }
  for (const auto& [configuration, at] : with_paths(configurations, path)) {
    validate_configuration(configuration, at, causes);
  }
}

}  // namespace dcm::apiserver
