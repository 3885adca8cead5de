// The columns of kinds for policies, access and accounts.
#include <map>
#include <string>

#include <fmt/format.h>

#include "apiserver/printers/printer_parts.hpp"

namespace dcm::apiserver {

namespace {

using runtime::WallTime;

JsonArray secret_cells(const JsonObject& secret, WallTime now) {
  return {name_of(secret), Json(text_at(secret, {"type"})), object_at(secret, {"data"}).size(),
          age(secret, now)};
}

// The names of the subjects of a kind; accounts with their namespaces.
std::string subjects_of(const JsonObject& binding, std::string_view kind) {
  std::string text;
  for (const Json& item : array_at(binding, {"subjects"})) {
    const JsonObject& subject = as_object(item);
    if (text_at(subject, {"kind"}) != kind) continue;
    if (!text.empty()) text += ", ";
    if (kind == "ServiceAccount") text += fmt::format("{}/", text_at(subject, {"namespace"}));
    text += text_at(subject, {"name"});
  }
  return text;
}

JsonArray binding_cells(const JsonObject& binding, WallTime now) {
  return {name_of(binding),
          Json(fmt::format("{}/{}", text_at(binding, {"roleRef", "kind"}),
                           text_at(binding, {"roleRef", "name"}))),
          age(binding, now),
          Json(subjects_of(binding, "User")),
          Json(subjects_of(binding, "Group")),
          Json(subjects_of(binding, "ServiceAccount"))};
}

JsonArray priority_class_cells(const JsonObject& priority, WallTime now) {
  return {name_of(priority), number_at(priority, {"value"}),
          Json(flag_at(priority, {"globalDefault"})), age(priority, now),
          Json(text_at(priority, {"preemptionPolicy"}))};
}

JsonArray quota_cells(const JsonObject& quota, WallTime now) {
  std::map<std::string, std::string> hard;
  for (const auto& [name, value] : object_at(quota, {"status", "hard"})) {
    if (value.is_string()) hard.emplace(name, view(value.get_string()));
  }
  std::string requests;
  std::string limits;
  for (const auto& [name, value] : hard) {
    std::string& column = name.starts_with("limits.") ? limits : requests;
    if (!column.empty()) column += ", ";
    const Json used = text_or(quota, {"status", "used", name}, "0");
    column += fmt::format("{}: {}/{}", name, view(used.get_string()), value);
  }
  return {name_of(quota), Json(requests), Json(limits), age(quota, now)};
}

JsonArray webhook_cells(const JsonObject& configuration, WallTime now) {
  return {name_of(configuration), array_at(configuration, {"webhooks"}).size(),
          age(configuration, now)};
}

JsonArray admission_policy_cells(const JsonObject& policy, WallTime now) {
  std::string params = "<unset>";
  if (has(policy, {"spec", "paramKind"})) {
    params = fmt::format("{}/{}", text_at(policy, {"spec", "paramKind", "apiVersion"}),
                         text_at(policy, {"spec", "paramKind", "kind"}));
  }
  return {name_of(policy), array_at(policy, {"spec", "validations"}).size(), Json(params),
          age(policy, now)};
}

// Parameters chosen by a selector are only marked as such.
JsonArray policy_binding_cells(const JsonObject& binding, WallTime now) {
  const std::string_view name = text_at(binding, {"spec", "paramRef", "name"});
  const Json ns = text_or(binding, {"spec", "paramRef", "namespace"}, "*");
  const std::string params =
      name.empty() ? "<unset>" : fmt::format("{}/{}", view(ns.get_string()), name);
  return {name_of(binding), Json(text_at(binding, {"spec", "policyName"})), Json(params),
          age(binding, now)};
}

std::string pod_group_status(const JsonObject& group) {
  std::string status = "Pending";
  std::string disrupted;
  for (const Json& item : array_at(group, {"status", "conditions"})) {
    const JsonObject& condition = as_object(item);
    const std::string_view type = text_at(condition, {"type"});
    if (type == "DisruptionTarget") disrupted = text_at(condition, {"reason"});
    if (type != "PodGroupInitiallyScheduled") continue;
    status = text_at(condition, {"status"}) == "True" ? "Scheduled" : "Unschedulable";
  }
  return disrupted.empty() ? status : disrupted;
}

JsonArray pod_group_cells(const JsonObject& group, WallTime now) {
  const bool is_gang = has(group, {"spec", "schedulingPolicy", "gang"});
  return {name_of(group), Json(is_gang ? "Gang" : "Basic"),
          text_or(group, {"spec", "workloadRef", "workloadName"}, "<none>"),
          Json(pod_group_status(group)), age(group, now)};
}

}  // namespace

Printers policy_printers() {
  const Printer binding{{name_column(), shown("Role"), age_column(), wide("Users"), wide("Groups"),
                         wide("ServiceAccounts")},
                        binding_cells};
  const Printer webhooks{{name_column(), typed("Webhooks", "integer"), age_column()},
                         webhook_cells};
  return {
      {"Secret", {{name_column(), shown("Type"), shown("Data"), age_column()}, secret_cells}},
      {"ServiceAccount", {{name_column(), age_column()}, name_and_age}},
      {"RoleBinding", binding},
      {"ClusterRoleBinding", binding},
      {"PriorityClass",
       {{name_column(), typed("Value", "integer"), typed("Global-Default", "boolean"), age_column(),
         shown("PreemptionPolicy")},
        priority_class_cells}},
      {"ResourceQuota",
       {{name_column(), shown("Request"), shown("Limit"), age_column()}, quota_cells}},
      {"MutatingWebhookConfiguration", webhooks},
      {"ValidatingWebhookConfiguration", webhooks},
      {"ValidatingAdmissionPolicy",
       {{name_column(), typed("Validations", "integer"), shown("ParamKind"), age_column()},
        admission_policy_cells}},
      {"ValidatingAdmissionPolicyBinding",
       {{name_column(), shown("PolicyName"), shown("ParamRef"), age_column()},
        policy_binding_cells}},
      {"PodGroup",
       {{name_column(), shown("Policy"), shown("Workload"), shown("Status"), age_column()},
        pod_group_cells}},
  };
}

}  // namespace dcm::apiserver
