#include "client/request/access_review.hpp"

#include <utility>

#include <simdjson.h>

namespace dcm::client {
namespace {

using api::UserInfo;
using runtime::Reason;
using runtime::Result;
using runtime::Task;
namespace dom = simdjson::dom;

// Exempt from the limits of the controllers' calls: the caller has its own limits.
ApiRequest review(std::string target, std::string body, runtime::Deadline deadline,
                  std::string secret = {}) {
  return {.verb = Verb::create,
          .target = std::move(target),
          .body = std::move(body),
          .secret = std::move(secret),
          .priority = PriorityLevel::exempt,
          .fencing = Fencing::unfenced,
          .retries = Retries::allowed,
          .deadline = deadline,
          .answer_bytes_max = 1024 * 1024};
}

bool is_true(dom::element object, std::string_view field) {
  bool value = false;
  return object[field].get_bool().get(value) == simdjson::SUCCESS && value;
}

std::string text_of(dom::element object, std::string_view field) {
  std::string_view text;
  return object[field].get_string().get(text) == simdjson::SUCCESS ? std::string(text)
                                                                   : std::string();
}

std::vector<std::string> texts_of(dom::element list) {
  std::vector<std::string> texts;
  dom::array elements;
  if (list.get_array().get(elements) != simdjson::SUCCESS) return texts;
  for (const dom::element element : elements) {
    std::string_view text;
    if (element.get_string().get(text) == simdjson::SUCCESS) texts.emplace_back(text);
  }
  return texts;
}

UserInfo user_of(dom::element status) {
  UserInfo info;
  dom::element user;
  if (status["user"].get(user) != simdjson::SUCCESS) return info;
  info.name = text_of(user, "username");
  info.uid = text_of(user, "uid");
  if (dom::element groups; user["groups"].get(groups) == simdjson::SUCCESS) {
    info.groups = texts_of(groups);
  }
  dom::object extra;
  if (user["extra"].get_object().get(extra) == simdjson::SUCCESS) {
    for (const auto [key, values] : extra) info.extra.emplace(key, texts_of(values));
  }
  return info;
}

// Whose clients' CAs are published, for messages.
constexpr std::string_view kClientCaMap =
    "ConfigMap kube-system/extension-apiserver-authentication";

// Sends a review and passes its `status` to `read`.
template <class T, class Read>
Task<Result<T>> answer_of(RestClient& rest, ApiRequest request, Read read) {
  const std::string url = rest.url(request);
  const Result<http::Response> response = co_await rest.send(std::move(request));
  if (!response) co_return runtime::fail(response.error());
  dom::parser parser;
  dom::element document;
  dom::element status;
  const bool is_review = parser.parse(response->body).get(document) == simdjson::SUCCESS &&
                         document["status"].get(status) == simdjson::SUCCESS;
  if (!is_review) co_return runtime::fail(Reason::malformed, url + ": the review has no status");
  co_return Result<T>(read(status));
}

}  // namespace

Task<Result<std::optional<UserInfo>>> review_token(RestClient& rest, std::string token,
                                                   runtime::Deadline deadline) {
  std::string body = api::encode_token_review(token);
  return answer_of<std::optional<UserInfo>>(rest,
                                            review("/apis/authentication.k8s.io/v1/tokenreviews",
                                                   std::move(body), deadline, std::move(token)),
                                            [](dom::element status) -> std::optional<UserInfo> {
                                              if (!is_true(status, "authenticated"))
                                                return std::nullopt;
                                              return user_of(status);
                                            });
}

Task<Result<Access>> review_access(RestClient& rest, UserInfo user, api::AccessAttributes what,
                                   runtime::Deadline deadline) {
  return answer_of<Access>(rest,
                           review("/apis/authorization.k8s.io/v1/subjectaccessreviews",
                                  api::encode_subject_access_review(user, what), deadline),
                           [](dom::element status) {
                             return is_true(status, "allowed") ? Access::allowed : Access::denied;
                           });
}

Task<Result<std::string>> read_published_client_ca(RestClient& rest, runtime::Deadline deadline) {
  ApiRequest request{
      .target = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication",
      .retries = Retries::allowed,
      .deadline = deadline};
  const std::string url = rest.url(request);
  Result<http::Response> response = co_await rest.send(std::move(request));
  if (!response) {
    response.error().message.insert(0, std::string(kClientCaMap) + ": ");
    co_return runtime::fail(std::move(response.error()));
  }
  dom::parser parser;
  dom::element config_map;
  if (parser.parse(response->body).get(config_map) != simdjson::SUCCESS) {
    co_return runtime::fail(Reason::malformed, url + ": not JSON");
  }
  dom::element data;
  const bool has_data = config_map["data"].get(data) == simdjson::SUCCESS;
  co_return has_data ? text_of(data, "client-ca-file") : std::string();
}

}  // namespace dcm::client
