#include "apiserver/rules/pod_parts.hpp"

#include <algorithm>
#include <set>

#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::int64_t kPortMax = 65535;

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
  } else if (number < 1 || number > kPortMax) {
    causes.push_back(invalid_value(path + ".containerPort", Json(number),
                                   "must be between 1 and 65535, inclusive"));
  }
  const std::int64_t of_host = integer_at(port, {"hostPort"}).value_or(0);
  if (of_host < 0 || of_host > kPortMax) {
    causes.push_back(
        invalid_value(path + ".hostPort", Json(of_host), "must be between 1 and 65535, inclusive"));
  }
  const std::string_view protocol = text_at(port, {"protocol"});
  if (protocol.empty()) {
    causes.push_back(required_value(path + ".protocol"));
  } else {
    validate_choice(protocol, {"SCTP", "TCP", "UDP"}, path + ".protocol", causes);
  }
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

void check_effect(const JsonObject& object, const std::string& path, Causes& causes) {
  const std::string_view effect = text_at(object, {"effect"});
  if (effect.empty()) return;
  validate_choice(effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"}, path + ".effect",
                  causes);
}

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
  check_effect(toleration, path, causes);
}
void for_each(const JsonArray& items, const std::string& path, auto check, Causes& causes) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    check(as_object(items[i]), indexed(path, i), causes);
  }
}

}  // namespace

void validate_container_parts(const JsonObject& container, const std::string& path,
                              Causes& causes) {
  const std::string_view name = text_at(container, {"name"});
  if (name.empty()) {
    causes.push_back(required_value(path + ".name"));
  } else {
    validate_name(NameRule::dns_label, name, path + ".name", causes);
  }
  if (text_at(container, {"image"}).empty()) causes.push_back(required_value(path + ".image"));
  std::set<std::string_view> port_names;
  for_each(
      array_at(container, {"ports"}), path + ".ports",
      [&](const JsonObject& port, const std::string& at, Causes&) {
        check_port_name(text_at(port, {"name"}), at + ".name", port_names, causes);
        check_port(port, at, causes);
      },
      causes);
  for_each(array_at(container, {"env"}), path + ".env", check_variable, causes);
  check_restart_policy(container, path, causes);
}

void validate_pod_tolerations(const JsonArray& tolerations, const std::string& path,
                              Causes& causes) {
  for_each(tolerations, path, check_toleration, causes);
}

void validate_scheduling_gates(const JsonArray& gates, const std::string& path, Causes& causes) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const std::string_view name = text_at(as_object(gates[i]), {"name"});
    validate_qualified_name(name, indexed(path, i), causes);
    if (!names.insert(name).second) causes.push_back(duplicate_value(indexed(path, i), Json(name)));
  }
}

void validate_node_taints(const JsonArray& taints, const std::string& path, Causes& causes) {
  std::set<std::pair<std::string_view, std::string_view>> seen;  // by effect and key
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const JsonObject& taint = as_object(taints[i]);
    const std::string at = indexed(path, i);
    validate_qualified_name(text_at(taint, {"key"}), at + ".key", causes);
    check_taint_value(text_at(taint, {"value"}), at + ".value", causes);
    if (text_at(taint, {"effect"}).empty()) {
      causes.push_back(required_value(at + ".effect"));
    } else {
      check_effect(taint, at, causes);
    }
    if (!seen.emplace(text_at(taint, {"effect"}), text_at(taint, {"key"})).second) {
      causes.push_back({"FieldValueDuplicate",
                        "Duplicate value: " + serialize(taint) +
                            ": taints must be unique by key and effect pair",
                        at});
    }
  }
}

}  // namespace dcm::apiserver
