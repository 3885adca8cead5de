#include "apiserver/definitions/approval.hpp"

#include <fmt/format.h>

namespace dcm::apiserver {

namespace {

constexpr std::string_view kAnnotation = "api-approved.kubernetes.io";
constexpr std::string_view kEnhancement = "https://github.com/kubernetes/enhancements/pull/1111";

bool is_protected(std::string_view group) {
  return group == "k8s.io" || group.ends_with(".k8s.io") || group == "kubernetes.io" ||
         group.ends_with(".kubernetes.io");
}

bool is_url(std::string_view text) {
  const auto host = text.find("://");
  return host != std::string_view::npos && host > 0 && host + 3 < text.size();
}

std::string_view annotation_of(const JsonObject& definition) {
  return text_at(definition, {"metadata", "annotations", kAnnotation});
}

Condition conformant(std::string_view status, std::string_view reason, std::string message) {
  return {"KubernetesAPIApprovalPolicyConformant", status, reason, std::move(message)};
}

std::string required(std::string_view with) {
  return fmt::format("protected groups must have approval annotation \"{}\"{}, see {}", kAnnotation,
                     with, kEnhancement);
}

}  // namespace

std::optional<Condition> approval_of(const JsonObject& definition) {
  if (!is_protected(text_at(definition, {"spec", "group"}))) return std::nullopt;
  const std::string_view value = annotation_of(definition);
  if (value.empty()) return conformant("False", "MissingAnnotation", required(""));
  if (value.starts_with("unapproved")) {
    return conformant("False", "UnapprovedAnnotation", fmt::format("not approved: \"{}\"", value));
  }
  if (is_url(value)) {
    return conformant("True", "ApprovedAnnotation", fmt::format("approved in {}", value));
  }
  return conformant("False", "InvalidAnnotation",
                    required(" with either a URL or a reason starting with \"unapproved\""));
}

void validate_approval(const JsonObject& definition, const JsonObject* old, Causes& causes) {
  constexpr std::string_view kField = "metadata.annotations[api-approved.kubernetes.io]";
  const std::string_view value = annotation_of(definition);
  if (old != nullptr && annotation_of(*old) == value) return;
  const auto approval = approval_of(definition);
  if (!approval) return;
  if (approval->reason == "MissingAnnotation") {
    causes.push_back(required_value(std::string(kField), approval->message));
  } else if (approval->reason == "InvalidAnnotation") {
    causes.push_back(invalid_value(std::string(kField), Json(value), approval->message));
  }
}

}  // namespace dcm::apiserver
