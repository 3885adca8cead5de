#include <algorithm>

#include <boost/json/array.hpp>

#include "test/allocation/kinds.hpp"

namespace dcm::allocation_judge {
namespace {

bool has_feature(const boost::json::object& request, std::string_view name) {
  const auto* features = request.if_contains("features");
  if (features == nullptr || !features->is_array()) return false;
  return std::ranges::any_of(features->as_array(),
                             [&](const auto& f) { return f.as_string() == name; });
}

cel::SelectorCompiler& compiler_for(const boost::json::object& request) {
  static cel::SelectorCompiler compilers[2][2] = {
      {cel::SelectorCompiler({.consumable_capacity = false, .list_attributes = false}),
       cel::SelectorCompiler({.consumable_capacity = false, .list_attributes = true})},
      {cel::SelectorCompiler({.consumable_capacity = true, .list_attributes = false}),
       cel::SelectorCompiler({.consumable_capacity = true, .list_attributes = true})}};
  return compilers[has_feature(request, "DRAConsumableCapacity")]
                  [has_feature(request, "DRAListTypeAttributes")];
}

cel::Environment environment_of(const boost::json::object& request) {
  const auto* name = request.if_contains("environment");
  const bool is_new = name != nullptr && name->as_string() == "NewExpressions";
  return is_new ? cel::Environment::new_expressions : cel::Environment::stored_expressions;
}

std::string_view expression_of(const boost::json::object& request) {
  const auto* text = request.if_contains("expression");  // left out when it is empty
  return text == nullptr ? std::string_view() : std::string_view(text->as_string());
}

boost::json::value json_of(const cel::DerivedValue& derived) {
  const auto json = std::visit(
      [&]<typename T>(const T& value) -> boost::json::object {
        if constexpr (std::is_same_v<T, bool>) return {{"bool", value}};
        if constexpr (std::is_same_v<T, std::int64_t>) return {{"int", value}};
        if constexpr (std::is_same_v<T, std::string>)
          return {{derived.is_version ? "version" : "string", value}};
        if constexpr (std::is_same_v<T, std::vector<bool>>)
          return {{"bools", boost::json::array(value.begin(), value.end())}};
        if constexpr (std::is_same_v<T, std::vector<std::int64_t>>)
          return {{"ints", boost::json::array(value.begin(), value.end())}};
        if constexpr (std::is_same_v<T, std::vector<std::string>>)
          return {{derived.is_version ? "versions" : "strings",
                   boost::json::array(value.begin(), value.end())}};
      },
      derived.value);
  return json;
}

}  // namespace

DeviceJson device_of(const boost::json::object& request) {
  const auto& device = request.at("device").as_object();
  return {std::string(device.at("driver").as_string()), device};
}

std::expected<std::shared_ptr<const cel::Selector>, std::string> selector_of(
    const boost::json::object& request) {
  return compiler_for(request).compile(expression_of(request), environment_of(request));
}

boost::json::object answer_selector(const boost::json::object& request) {
  const auto selector = selector_of(request);
  if (!selector) return {{"compileError", selector.error()}};
  const DeviceJson device = device_of(request);
  cel::EvaluationCost cost;
  const auto match = (*selector)->matches(device.view(), &cost);
  boost::json::object answer{{"maxCost", (*selector)->max_cost()}, {"actualCost", cost.actual}};
  if (match) {
    answer["match"] = *match;
  } else {
    answer["runtimeError"] = match.error();
  }
  return answer;
}

boost::json::object answer_derived(const boost::json::object& request) {
  const auto derived =
      compiler_for(request).compile_derived(expression_of(request), environment_of(request));
  if (!derived) return {{"compileError", derived.error()}};
  const DeviceJson device = device_of(request);
  const auto value = (*derived)->evaluate(device.view());
  if (!value) return {{"runtimeError", value.error()}};
  return {{"attribute", json_of(*value)}};
}

}  // namespace dcm::allocation_judge
