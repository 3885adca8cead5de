#include "manager/serving/doorkeeper.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/ascii.hpp"
#include "runtime/http/sha256.hpp"

namespace dcm::manager {
namespace {

using api::AccessAttributes;
using api::NonResourceAttributes;
using api::ResourceAttributes;
using api::UserInfo;
using client::Access;
using client::PriorityLevel;
using runtime::Deadline;
using runtime::Result;
using runtime::Task;

constexpr const char* kTooManyCallers = "too many callers are being looked up";

// The token of `Authorization: Bearer …` (RFC 6750); nullopt if there is none.
std::optional<std::string> bearer_token(const http::Headers& headers) {
  constexpr std::string_view kScheme = "bearer ";
  const auto field = headers.find("Authorization");
  if (!field || field->size() <= kScheme.size()) return std::nullopt;
  if (!http::equals_without_case(field->substr(0, kScheme.size()), kScheme)) return std::nullopt;
  return std::string(field->substr(kScheme.size()));
}

// Reads a subject like the API server's x509 authenticator.
UserInfo user_of(const http::ClientCertificate& certificate) {
  UserInfo user{.name = certificate.common_name, .groups = certificate.organizations};
  user.groups.emplace_back("system:authenticated");
  return user;
}

// A unique text for each question; lengths separate the parts.
std::string key_of(const UserInfo& user, const AccessAttributes& what) {
  std::string key = fmt::format("{}:{}{}:{}{}", user.name.size(), user.name, user.uid.size(),
                                user.uid, api::encode_subject_access_review({}, what));
  for (const std::string& group : user.groups) key += fmt::format(" {}:{}", group.size(), group);
  for (const auto& [name, values] : user.extra) key += fmt::format(" {}={}", name, values);
  return http::sha256(key);
}

http::Response unauthorized() {
  http::Response response = text_response(
      401, "unauthorized: needs a bearer token or a client certificate that the cluster accepts\n");
  response.headers.add("WWW-Authenticate", "Bearer");
  return response;
}

http::Response forbidden(const UserInfo& user, const NonResourceAttributes& what,
                         const std::optional<ResourceAttributes>& object) {
  const std::string other =
      object ? fmt::format(", nor {} the {} that it is about", object->verb, object->resource) : "";
  return text_response(403, fmt::format("forbidden: user \"{}\" may not {} the non-resource URL "
                                        "\"{}\"{}\n",
                                        user.name, what.verb, what.path, other));
}

std::string_view without_first_slash(std::string_view path) {
  return path.starts_with('/') ? path.substr(1) : path;
}

// As in k8s.io/apiserver/pkg/authorization/path.
bool opens(std::string_view open, std::string_view path) {
  open = without_first_slash(open);
  path = without_first_slash(path);
  return open.ends_with('*') ? path.starts_with(open.substr(0, open.size() - 1)) : path == open;
}

// Why the API server does not identify a caller. The caller is unauthenticated, so this names no
// account and no address.
std::string_view cause_of(const runtime::Error& error) {
  switch (error.reason) {
    case runtime::Reason::forbidden:
      return "it does not let this manager create tokenreviews and subjectaccessreviews (bind "
             "ClusterRole system:auth-delegator to the manager's account)";
    case runtime::Reason::unauthorized:
      return "it does not accept this manager's own credentials";
    case runtime::Reason::too_many_requests:
      return "too many callers are being looked up; try again in a few seconds";
    case runtime::Reason::not_served:
      return "it serves no tokenreviews or subjectaccessreviews";
    case runtime::Reason::deadline_exceeded:
      return "it does not answer in time";
    case runtime::Reason::tls:
      return "this manager does not trust its certificate";
    default:
      return error.http_status ? "it answers with an error" : "it cannot be reached";
  }
}

}  // namespace

std::string why_no_open_path(const std::string& path) {
  const std::size_t star = path.find('*');
  if (star == path.npos || star + 1 == path.size()) return {};
  return fmt::format("only trailing * allowed in \"{}\"", path);
}

template <class Value>
const Value* Doorkeeper::Memory<Value>::recall(const std::string& key) {
  const Entry* const entry = entries_.use(key);
  if (entry == nullptr || entry->until <= time_.now()) return nullptr;
  return &entry->value;
}

template <class Value>
void Doorkeeper::Memory<Value>::remember(const std::string& key, Value value) {
  entries_.erase(key);
  if (entries_.size() >= options_.remembered_max) {
    entries_.erase_oldest();
  }
  entries_.insert(key, {std::move(value), time_.now() + options_.remembered});
}

Doorkeeper::Doorkeeper(client::RestClient& rest, runtime::TimeSource& time,
                       DoorkeeperOptions options, runtime::Logger log)
    : rest_(rest),
      time_(time),
      options_(std::move(options)),
      log_(std::move(log)),
      budget_(time, options_.reviews),
      users_(time, options_),
      verdicts_(time, options_),
      failure_guard_(time, std::chrono::minutes(5)) {}

Task<Admitted> Doorkeeper::admit(const http::Request& request) {
  const std::string path(split_target(request.target).path);
  if (is_open(path)) co_return Audience::everything;
  const Result<Who> who = co_await identify(request);
  if (!who) co_return std::unexpected(unavailable(who.error()));
  if (!*who) co_return std::unexpected(unauthorized());
  const NonResourceAttributes page{.verb = runtime::lower(to_string(request.method)), .path = path};
  const Result<Access> access = co_await authorize(**who, page);
  if (!access) co_return std::unexpected(unavailable(access.error()));
  if (*access == Access::allowed) co_return Audience::everything;
  std::optional<ResourceAttributes> object;
  if (options_.object_of) object = options_.object_of(path);
  if (!object) co_return std::unexpected(forbidden(**who, page, object));
  const Result<Access> of_object = co_await authorize(**who, *object);
  if (!of_object) co_return std::unexpected(unavailable(of_object.error()));
  if (*of_object == Access::allowed) co_return Audience::own_object;
  co_return std::unexpected(forbidden(**who, page, object));
}

bool Doorkeeper::is_open(std::string_view path) const {
  return std::ranges::any_of(options_.always_allow_paths,
                             [path](std::string_view open) { return opens(open, path); });
}

Task<Result<Doorkeeper::Who>> Doorkeeper::identify(const http::Request& request) {
  if (request.client_certificate != nullptr) {
    co_return Result<Who>(user_of(*request.client_certificate));
  }
  std::optional<std::string> token = bearer_token(request.headers);
  if (!token) co_return Result<Who>(std::nullopt);
  co_return co_await identify_by_token(std::move(*token));
}

Task<Result<Doorkeeper::Who>> Doorkeeper::identify_by_token(std::string token) {
  const std::string key = http::sha256(token);
  if (const Who* known = users_.recall(key)) co_return Result<Who>(*known);
  const bool is_regular = regulars_.use(key) != nullptr;
  if (!is_regular && budget_.waiting() >= options_.strangers_max) {
    co_return runtime::fail(runtime::Reason::too_many_requests, kTooManyCallers);
  }
  const Deadline deadline = Deadline::after(time_, options_.review_timeout);
  const Result<Permit> permit =
      co_await await_turn(is_regular ? PriorityLevel::live : PriorityLevel::backlog, deadline);
  if (!permit) co_return runtime::fail(permit.error());
  Result<Who> who = co_await client::review_token(rest_, std::move(token), deadline);
  if (who) users_.remember(key, *who);
  if (who && *who) note_regular(key);
  co_return who;
}

Task<Result<Access>> Doorkeeper::authorize(UserInfo user, AccessAttributes what) {
  const std::string key = key_of(user, what);
  if (const Access* known = verdicts_.recall(key)) co_return Result<Access>(*known);
  const Deadline deadline = Deadline::after(time_, options_.review_timeout);
  const Result<Permit> permit = co_await await_turn(PriorityLevel::live, deadline);
  if (!permit) co_return runtime::fail(permit.error());
  Result<Access> access =
      co_await client::review_access(rest_, std::move(user), std::move(what), deadline);
  if (access) verdicts_.remember(key, *access);
  co_return access;
}

void Doorkeeper::note_regular(const std::string& key) {
  if (regulars_.use(key) != nullptr) return;
  if (regulars_.size() >= options_.remembered_max) {
    regulars_.erase_oldest();
  }
  regulars_.insert(key, {});
}

Task<Result<Doorkeeper::Permit>> Doorkeeper::await_turn(PriorityLevel priority, Deadline deadline) {
  Result<Permit> permit = co_await budget_.admit(priority, deadline);
  if (!permit) permit.error().message = kTooManyCallers;
  co_return permit;
}

http::Response Doorkeeper::unavailable(const runtime::Error& error) {
  const std::string why = to_string(error);
  if (failure_guard_.should_log(why)) {
    log_.warning("Cannot ask the API server to authenticate a caller", {{"error", why}});
  }
  return text_response(503, fmt::format("the API server cannot be asked who you are and what you "
                                        "may do: {}\n",
                                        cause_of(error)));
}

}  // namespace dcm::manager
