#include "apiserver/rules/pod_parts.hpp"

#include <algorithm>
#include <set>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

// `names` are the valid ones of the ports before it.
void check_port_name(std::string_view name, const std::string& path,
                     std::set<std::string_view>& names, Causes& causes) {
  if (name.empty()) return;
  const Problems problems = problems_with_name(NameRule::port_name, name);
  add_problems(problems, name, path, causes);
  if (problems.empty() && !names.insert(name).second) {
    causes.push_back(duplicate_value(path, Json(name)));
  }
}

void check_port(const JsonObject& port, const std::string& path, Causes& causes) {
  const std::int64_t number = integer_at(port, {"containerPort"}).value_or(0);
  if (number == 0) {
    causes.push_back(required_value(path + ".containerPort"));
  } else {
    validate_range(number, 1, kPortMax, path + ".containerPort", causes);
  }
  const std::int64_t of_host = integer_at(port, {"hostPort"}).value_or(0);
  if (of_host != 0) validate_range(of_host, 1, kPortMax, path + ".hostPort", causes);
  require_choice(text_at(port, {"protocol"}), {"SCTP", "TCP", "UDP"}, path + ".protocol", causes);
}

bool is_variable_name(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

void check_variable(const JsonObject& variable, const std::string& path, Causes& causes) {
  const std::string_view name = text_at(variable, {"name"});
  if (name.empty()) {
    causes.push_back(required_value(path + ".name"));
  } else if (!is_variable_name(name)) {
    causes.push_back(invalid_value(path + ".name", Json(name),
                                   "a valid environment variable name must consist only of "
                                   "printable ASCII characters other than '='"));
  }
}

void check_restart_policy(const JsonObject& container, const std::string& path, Causes& causes) {
  const std::string at = path + ".restartPolicy";
  const std::string_view policy = text_at(container, {"restartPolicy"});
  if (!has(container, {"restartPolicy"})) {
    if (array_at(container, {"restartPolicyRules"}).empty()) return;
    causes.push_back(required_value(at, "must specify restartPolicy when restart rules are used"));
  } else {
    validate_choice(policy, {"Always", "Never", "OnFailure"}, at, causes);
  }
}

// One cause for all problems.
void check_taint_value(std::string_view value, const std::string& path, Causes& causes) {
  const Problems problems = problems_with_label_value(value);
  if (!problems.empty()) {
    causes.push_back(invalid_value(path, Json(value), joined(problems, ";")));
  }
}

void check_value(const JsonObject& toleration, const std::string& path, Causes& causes) {
  const std::string_view operation = text_at(toleration, {"operator"});
  const std::string_view value = text_at(toleration, {"value"});
  if (operation.empty() || operation == "Equal") {
    check_taint_value(value, path + ".operator", causes);
  } else if (operation == "Exists") {
    if (value.empty()) return;
    causes.push_back(invalid_value(path + ".operator", Json(value),
                                   "value must be empty when `operator` is 'Exists'"));
  } else if (operation == "Lt" || operation == "Gt") {
    causes.push_back(
        not_supported(path + ".operator", Json(operation), {"Equal", "Exists", "Lt", "Gt"}));
  } else {
    causes.push_back(not_supported(path + ".operator", Json(operation), {"Equal", "Exists"}));
  }
}

constexpr std::initializer_list<std::string_view> kEffects = {"NoSchedule", "PreferNoSchedule",
                                                              "NoExecute"};

void check_toleration(const JsonObject& toleration, const std::string& path, Causes& causes) {
  const std::string_view key = text_at(toleration, {"key"});
  const std::string_view operation = text_at(toleration, {"operator"});
  const std::string_view effect = text_at(toleration, {"effect"});
  if (!key.empty()) validate_qualified_name(key, path + ".key", causes);
  if (key.empty() && operation != "Exists") {
    causes.push_back(invalid_value(path + ".operator", Json(operation),
                                   "operator must be Exists when `key` is empty, which means "
                                   "\"match all values and all keys\""));
  }
  if (has(toleration, {"tolerationSeconds"}) && effect != "NoExecute") {
    causes.push_back(invalid_value(path + ".effect", Json(effect),
                                   "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  check_value(toleration, path, causes);
  if (!effect.empty()) validate_choice(effect, kEffects, path + ".effect", causes);
}

}  // namespace

void validate_container_parts(const JsonObject& container, const std::string& path,
                              Causes& causes) {
  require_name(NameRule::dns_label, text_at(container, {"name"}), path + ".name", causes);
  require_text(container, "image", path, causes);
  std::set<std::string_view> port_names;
  for (const auto& [port, at] : with_paths(array_at(container, {"ports"}), path + ".ports")) {
    check_port_name(text_at(port, {"name"}), at + ".name", port_names, causes);
    check_port(port, at, causes);
  }
  for (const auto& [variable, at] : with_paths(array_at(container, {"env"}), path + ".env")) {
    check_variable(variable, at, causes);
  }
  check_restart_policy(container, path, causes);
}

void validate_pod_tolerations(const JsonArray& tolerations, const std::string& path,
                              Causes& causes) {
  for (const auto& [toleration, at] : with_paths(tolerations, path)) {
    check_toleration(toleration, at, causes);
  }
}

void validate_scheduling_gates(const JsonArray& gates, const std::string& path, Causes& causes) {
  std::set<std::string_view> names;
  for (const auto& [gate, at] : with_paths(gates, path)) {
    const std::string_view name = text_at(gate, {"name"});
    validate_qualified_name(name, at, causes);
    if (!names.insert(name).second) causes.push_back(duplicate_value(at, Json(name)));
  }
}

void validate_node_taints(const JsonArray& taints, const std::string& path, Causes& causes) {
  std::set<std::pair<std::string_view, std::string_view>> seen;  // by effect and key
  for (const auto& [taint, at] : with_paths(taints, path)) {
    validate_qualified_name(text_at(taint, {"key"}), at + ".key", causes);
    check_taint_value(text_at(taint, {"value"}), at + ".value", causes);
    require_choice(text_at(taint, {"effect"}), kEffects, at + ".effect", causes);
    if (!seen.emplace(text_at(taint, {"effect"}), text_at(taint, {"key"})).second) {
      causes.push_back({"FieldValueDuplicate",
                        "Duplicate value: " + serialize(taint) +
                            ": taints must be unique by key and effect pair",
                        at});
    }
  }
}

}  // namespace dcm::apiserver
