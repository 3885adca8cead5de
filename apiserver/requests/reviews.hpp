// Reviews: questions that are posted, answered at once, and never stored (who am I, may I?). This
// server knows no users and refuses no request, and says so.
#pragma once

#include <span>

#include "apiserver/requests/request.hpp"
#include "apiserver/requests/writes.hpp"

namespace dcm::apiserver {

// A kind of review: "selfsubjectaccessreviews" of "authorization.k8s.io/v1", …
struct Review {
  std::string_view group;
  std::string_view plural;
  std::string_view kind;
  Scope scope;
};

std::span<const Review> all_reviews();
// Null if the path is not that of a review.
const Review* find_review(const ResourcePath& path);
// `body` and `content_type`: the review in JSON or YAML.
Result<Response> answer_review(const Review& review, std::string_view content_type,
                               std::string_view body);

}  // namespace dcm::apiserver
