#include "apiserver/requests/reviews.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/requests/bodies.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kAuthorization = "authorization.k8s.io";
constexpr std::string_view kAuthentication = "authentication.k8s.io";

constexpr Review kReviews[] = {
    {kAuthorization, "localsubjectaccessreviews", "LocalSubjectAccessReview", Scope::namespaced},
    {kAuthorization, "selfsubjectaccessreviews", "SelfSubjectAccessReview", Scope::cluster},
    {kAuthorization, "selfsubjectrulesreviews", "SelfSubjectRulesReview", Scope::cluster},
    {kAuthorization, "subjectaccessreviews", "SubjectAccessReview", Scope::cluster},
    {kAuthentication, "selfsubjectreviews", "SelfSubjectReview", Scope::cluster},
    {kAuthentication, "tokenreviews", "TokenReview", Scope::cluster},
};

JsonObject nobody_in_particular() {
  return {{"username", "system:admin"},
          {"groups", JsonArray{"system:masters", "system:authenticated"}}};
}

JsonObject everything() {
  const JsonArray all{"*"};
  return {{"resourceRules",
           JsonArray{JsonObject{{"verbs", all}, {"apiGroups", all}, {"resources", all}}}},
          {"nonResourceRules", JsonArray{JsonObject{{"verbs", all}, {"nonResourceURLs", all}}}},
          {"incomplete", false}};
}

JsonObject status_of(const Review& review) {
  if (review.kind == "SelfSubjectReview") return {{"userInfo", nobody_in_particular()}};
  // Tokens have no meaning here.
  if (review.kind == "TokenReview") return {{"user", JsonObject()}};
  if (review.kind == "SelfSubjectRulesReview") return everything();
  return {{"allowed", true}};
}

}  // namespace

std::span<const Review> all_reviews() {
  return kReviews;
}

const Review* find_review(const ResourcePath& path) {
  if (path.version != "v1" || !path.name.empty()) return nullptr;
  const auto* const found = std::ranges::find_if(kReviews, [&](const Review& review) {
    return review.group == path.group && review.plural == path.resource &&
           path.ns.empty() == (review.scope == Scope::cluster);
  });
  return found == std::end(kReviews) ? nullptr : found;
}

Result<Response> answer_review(const Review& review, std::string_view content_type,
                               std::string_view body) {
  auto document = decode_document(
      {.target = {}, .query = {}, .content_type = content_type, .body = body}, review.kind);
  if (!document) return std::unexpected(std::move(document.error()));
  JsonObject& object = document->object;
  if (text_at(object, {"kind"}) != review.kind) {
    return std::unexpected(bad_request(fmt::format("this is not a {}", review.kind)));
  }
  child(object, "metadata");
  child(object, "spec");
  object["status"] = status_of(review);
  return json_response(201, object);
}

}  // namespace dcm::apiserver
