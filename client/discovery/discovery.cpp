#include "client/discovery/discovery.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "client/discovery/discovery_documents.hpp"
#include "client/request/typed.hpp"
#include "runtime/assert.hpp"

namespace dcm::client {
namespace {

using namespace std::chrono_literals;
using runtime::Deadline;
using runtime::Error;
using runtime::Reason;
using runtime::Result;
using runtime::Task;

std::string version_path(std::string_view group, std::string_view version) {
  return group.empty() ? fmt::format("/api/{}", version)
                       : fmt::format("/apis/{}/{}", group, version);
}

std::string_view display_name(std::string_view group) {
  return group.empty() ? "the core group" : group;
}

std::vector<std::string_view> plurals(const KindSet& kinds) {
  std::vector<std::string_view> names;
  for (const api::ResourceKind* kind : kinds) names.push_back(kind->plural);
  return names;
}

// Any 404 on a discovery path means that the group or version is not there.
bool is_absent(const Error& error) {
  return error.reason == Reason::not_served || error.reason == Reason::object_not_found;
}

}  // namespace

Result<Served> served_of(const Availability& availability) {
  if (const auto* unknown = std::get_if<Unknown>(&availability)) {
    return runtime::fail(unknown->error);
  }
  if (const auto* not_served = std::get_if<NotServed>(&availability)) {
    return runtime::fail(Reason::not_served, not_served->why);
  }
  return std::get<Served>(availability);
}

runtime::Problem why_not(const Availability& availability) {
  if (const auto* unknown = std::get_if<Unknown>(&availability)) return unknown->error;
  return std::get<NotServed>(availability).why;
}

runtime::Duration ask_again_after(const Availability& availability) {
  const auto* unknown = std::get_if<Unknown>(&availability);
  if (unknown == nullptr) return 30s;
  return runtime::is_transient(unknown->error) ? 2s : 5s;
}

api::Resource resource_of(const api::ResourceKind& kind, const Served& served) {
  return {&kind, served.version};
}

Task<Availability> Discovery::find(KindSet kinds, Deadline deadline) {
  DCM_ASSERT(!kinds.empty());
  const std::string group(kinds.front()->group);
  const Result<std::vector<std::string>> offered = co_await served_versions(group, deadline);
  if (!offered) co_return Unknown{offered.error()};
  for (const std::string_view version : kinds.front()->versions) {
    if (std::ranges::find(*offered, version) == offered->end()) continue;
    const Result<Names> names = co_await served_names(group, std::string(version), deadline);
    if (!names) co_return Unknown{names.error()};
    const auto is_served = [&](std::string_view name) {
      return names->contains(std::string(name));
    };
    const auto has_status = [&](std::string_view name) {
      return names->contains(fmt::format("{}/status", name));
    };
    if (std::ranges::all_of(plurals(kinds), is_served)) {
      co_return Served{std::string(version), std::ranges::all_of(plurals(kinds), has_status)};
    }
  }
  co_return NotServed{
      fmt::format("the API server serves {} in no version that this program knows (known: {}; "
                  "versions of {}: {})",
                  fmt::join(plurals(kinds), " and "), fmt::join(kinds.front()->versions, ", "),
                  display_name(group),
                  offered->empty() ? "none" : fmt::format("{}", fmt::join(*offered, ", ")))};
}

// The core group has one version and no group document.
Task<Result<std::vector<std::string>>> Discovery::served_versions(std::string group,
                                                                  Deadline deadline) {
  if (group.empty()) co_return std::vector<std::string>{"v1"};
  const ApiRequest request{
      .target = "/apis/" + group, .retries = Retries::none, .deadline = deadline};
  const Result<http::Response> answer = co_await rest_.send(request);
  if (!answer) {
    if (is_absent(answer.error())) co_return std::vector<std::string>{};
    co_return runtime::fail(answer.error());
  }
  Result<std::vector<std::string>> versions = decode_group_versions(answer->body);
  if (!versions) co_return runtime::fail(rest_.explain(request, versions.error()));
  co_return versions;
}

// A version that disappeared between the two requests serves nothing.
Task<Result<Discovery::Names>> Discovery::served_names(std::string group, std::string version,
                                                       Deadline deadline) {
  const ApiRequest request{
      .target = version_path(group, version), .retries = Retries::none, .deadline = deadline};
  const Result<http::Response> answer = co_await rest_.send(request);
  if (!answer) {
    if (is_absent(answer.error())) co_return Names{};
    co_return runtime::fail(answer.error());
  }
  Result<Names> names = decode_resource_names(answer->body);
  if (!names) co_return runtime::fail(rest_.explain(request, names.error()));
  co_return names;
}

}  // namespace dcm::client
