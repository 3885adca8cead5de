#include "apiserver/rules/pod_probes.hpp"

#include <span>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

// A missing port is port 0.
void validate_port(const JsonObject& action, const std::string& path, Causes& causes) {
  const Json* const port = action.if_contains("port");
  if (port != nullptr && port->is_string()) {
    return validate_name(NameRule::port_name, view(port->get_string()), path, causes);
  }
  validate_range(integer_at(action, {"port"}).value_or(0), 1, kPortMax, path, causes);
}

void validate_exec(const JsonObject& action, const std::string& path, Causes& causes) {
  if (array_at(action, {"command"}).empty()) causes.push_back(required_value(path + ".command"));
}

void validate_http_get(const JsonObject& action, const std::string& path, Causes& causes) {
  require_text(action, "path", path, causes);
  validate_port(action, path + ".port", causes);
  validate_choice(text_at(action, {"scheme"}), {"HTTP", "HTTPS"}, path + ".scheme", causes);
}

void validate_port_action(const JsonObject& action, const std::string& path, Causes& causes) {
  validate_port(action, path + ".port", causes);
}

struct Action {
  std::string_view name;
  void (*validate)(const JsonObject&, const std::string& path, Causes&);
};

void validate_nothing(const JsonObject&, const std::string&, Causes&) {}

constexpr Action kProbeActions[] = {{"exec", validate_exec},
                                    {"httpGet", validate_http_get},
                                    {"tcpSocket", validate_port_action},
                                    {"grpc", validate_port_action}};
// How long a container may sleep depends on the pod's grace period, which is not checked here.
constexpr Action kLifecycleActions[] = {{"exec", validate_exec},
                                        {"httpGet", validate_http_get},
                                        {"tcpSocket", validate_port_action},
                                        {"sleep", validate_nothing}};

void validate_action(const JsonObject& probe, std::span<const Action> actions,
                     const std::string& path, Causes& causes) {
  bool has_one = false;
  for (const auto& [name, validate] : actions) {
    if (!has(probe, {name})) continue;
    const std::string at = path + "." + std::string(name);
    if (has_one) {
      causes.push_back(forbidden_value(at, "may not specify more than 1 handler type"));
    } else {
      validate(object_at(probe, {name}), at, causes);
    }
    has_one = true;
  }
  if (!has_one) causes.push_back(required_value(path, "must specify a handler type"));
}

void validate_numbers(const JsonObject& probe, const std::string& path, Causes& causes) {
  validate_counts(probe,
                  {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold",
                   "failureThreshold"},
                  path, causes);
  const auto grace = integer_at(probe, {"terminationGracePeriodSeconds"});
  if (!grace || *grace > 0) return;
  causes.push_back(invalid_value(path + ".terminationGracePeriodSeconds", Json(*grace),
                                 "must be greater than 0"));
}

}  // namespace

void validate_lifecycle(const JsonObject& container, const std::string& path, Causes& causes) {
  for (const auto* name : {"postStart", "preStop"}) {
    if (!has(container, {"lifecycle", name})) continue;
    validate_action(object_at(container, {"lifecycle", name}), kLifecycleActions,
                    path + ".lifecycle." + name, causes);
  }
}

void validate_probes(const JsonObject& container, const std::string& path, Causes& causes) {
  for (const auto* name : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    if (!has(container, {name})) continue;
    const JsonObject& probe = object_at(container, {name});
    const std::string at = path + "." + name;
    validate_action(probe, kProbeActions, at, causes);
    validate_numbers(probe, at, causes);
    const bool asks_readiness = std::string_view(name) == "readinessProbe";
    const std::int64_t threshold = integer_at(probe, {"successThreshold"}).value_or(0);
    if (!asks_readiness && threshold != 1) {
      causes.push_back(invalid_value(at + ".successThreshold", Json(threshold), "must be 1"));
    }
    if (asks_readiness && has(probe, {"terminationGracePeriodSeconds"})) {
      causes.push_back(invalid_value(at + ".terminationGracePeriodSeconds",
                                     probe.at("terminationGracePeriodSeconds"),
                                     "must not be set for readinessProbes"));
    }
  }
}

}  // namespace dcm::apiserver
