#include "explain/read_evidence.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "controllers/api/resources.hpp"
#include "explain/evidence_json.hpp"
#include "explain/evidence_words.hpp"
#include "runtime/json.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::explain {
namespace {

namespace json = boost::json;
using common::Known;
using common::Unknown;
using runtime::object_at;
using runtime::Result;
using runtime::Task;

// The requests for one question.
class Reader {
 public:
  Reader(client::RestClient& rest, runtime::Deadline deadline) : rest_(rest), deadline_(deadline) {}

  Task<Result<json::value>> get(std::string target) {
    // This request goes after the controllers' own.
    const Result<http::Response> answer =
        co_await rest_.send({.target = std::move(target),
                             .priority = client::PriorityLevel::backlog,
                             .retries = client::Retries::none,
                             .deadline = deadline_});
    if (!answer) co_return runtime::fail(answer.error());
    co_return runtime::parse_json(answer->body);
  }

  template <class Read>
  auto read(std::string target, Read as) -> Task<Known<decltype(as(json::value()))>> {
    const Result<json::value> answer = co_await get(std::move(target));
    if (answer) co_return as(*answer);
    // A kind that is not served has no objects.
    if (answer.error().reason == runtime::Reason::not_served) co_return as(json::value());
    co_return std::unexpected(Unknown{answer.error().message});
  }

 private:
  client::RestClient& rest_;
  runtime::Deadline deadline_;
};

std::string in_namespace(const Subject& subject, std::string_view resource) {
  return fmt::format("/api/v1/namespaces/{}/{}", subject.key.namespace_.str(), resource);
}

Task<Known<NodeReport>> read_node(Reader& reader, std::string name) {
  const Result<json::value> node = co_await reader.get("/api/v1/nodes/" + name);
  if (node) co_return NodeReport{true, read_condition(*node, "Ready")};
  if (node.error().reason == runtime::Reason::object_not_found) co_return NodeReport{};
  co_return std::unexpected(Unknown{node.error().message});
}

// Servers without v1 have no binding conditions. The first claim that cannot be read makes the
// answer unknown. A pod can name thousands of claims; a few conditions are enough.
Task<Known<std::vector<json::value>>> read_claims(Reader& reader, std::string namespace_,
                                                  std::vector<std::string> claims) {
  constexpr std::size_t kClaimsMax = 32;
  if (claims.size() > kClaimsMax) claims.resize(kClaimsMax);
  const api::Resource resource{&api::kResourceClaims, "v1"};
  std::vector<json::value> found;
  for (const std::string& name : claims) {
    Result<json::value> claim = co_await reader.get(resource.path({namespace_, name}));
    if (claim) {
      found.push_back(*std::move(claim));
    } else if (claim.error().reason != runtime::Reason::object_not_found &&
               claim.error().reason != runtime::Reason::not_served) {
      co_return std::unexpected(Unknown{claim.error().message});
    }
  }
  co_return found;
}

Known<std::vector<MissingCondition>> binding_of(const Known<std::vector<json::value>>& claims) {
  if (!claims) return std::unexpected(claims.error());
  std::vector<MissingCondition> missing;
  for (const json::value& claim : *claims) {
    std::ranges::move(missing_conditions(claim), std::back_inserter(missing));
  }
  return missing;
}

Known<std::vector<AllocationReport>> allocations_of(const Known<std::vector<json::value>>& claims,
                                                    const std::string& pod_uid) {
  if (!claims) return std::unexpected(claims.error());
  std::vector<AllocationReport> reports;
  for (const json::value& claim : *claims) {
    if (!object_at(claim, "/status/allocation").empty()) {
      reports.push_back(allocation_report(claim, pod_uid));
    }
  }
  return reports;
}

}  // namespace

Task<Evidence> read_evidence(client::RestClient& rest, Subject subject, const common::Draft& draft,
                             Refusals refusals, runtime::Deadline deadline) {
  const bool asks_refusals = makes_claim(draft) && refusals == Refusals::asked;
  std::string uid = draft.about.uid;
  Reader reader(rest, deadline);
  Evidence evidence;
  bool asks_events = asks_refusals;
  const bool has_allocation = asks_binding(draft);
  bool asks_why_unusable = false;
  std::vector<std::string> claims;
  if (subject.kind == Subject::Kind::claim && has_allocation) claims = {subject.key.name.str()};
  if (subject.kind == Subject::Kind::pod) {
    evidence.pod =
        co_await reader.read(in_namespace(subject, "pods/") + subject.key.name.str(), pod_report);
    if (*evidence.pod && is_kubelets(**evidence.pod)) {
      asks_events = true;
      evidence.node = co_await read_node(reader, (*evidence.pod)->node);
    }
    if (*evidence.pod) asks_why_unusable = asks_allocations(**evidence.pod);
    if (*evidence.pod && is_schedulers(**evidence.pod) && (has_allocation || asks_why_unusable)) {
      claims = (*evidence.pod)->claims;
    }
  }
  if (!claims.empty()) {
    const auto found =
        co_await read_claims(reader, subject.key.namespace_.str(), std::move(claims));
    if (has_allocation) evidence.binding = binding_of(found);
    if (asks_why_unusable) evidence.allocations = allocations_of(found, (*evidence.pod)->uid);
  }
  if (asks_refusals) {
    evidence.quotas = co_await reader.read(in_namespace(subject, "resourcequotas"), quota_reports);
  }
  if (asks_events) {
    const std::string field = "involvedObject.name=" + subject.key.name.str();
    evidence.events = co_await reader.read(
        client::make_target(in_namespace(subject, "events"), {{"fieldSelector", field}}),
        [uid](const json::value& events) { return event_reports(events, uid); });
  }
  co_return evidence;
}

Task<Known<common::Worker>> read_worker(client::RestClient& rest, runtime::TimeSource& time,
                                        runtime::WallTime now, api::NamespacedName lease,
                                        runtime::Deadline deadline) {
  const std::string target = fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases/{}",
                                         lease.namespace_.str(), lease.name);
  std::optional<api::LeaseSpec> first;
  for (const bool is_second : {false, true}) {
    const Result<http::Response> answer = co_await rest.send(
        {.target = target, .retries = client::Retries::allowed, .deadline = deadline});
    if (!answer && answer.error().reason == runtime::Reason::object_not_found) {
      co_return judge_lease(lease.str(), std::nullopt, std::nullopt, now);
    }
    if (!answer) co_return std::unexpected(Unknown{answer.error().message});
    auto read = api::decode_lease(answer->body);
    if (!read) co_return std::unexpected(Unknown{read.error().message});
    if (is_second) co_return judge_lease(lease.str(), first, read->spec, now);
    if (seems_held(read->spec, time.wall_now())) co_return common::Worker{};
    first = std::move(read->spec);
    co_await runtime::sleep_for(time, kLeaseLook);
  }
  co_return common::Worker{};
}

}  // namespace dcm::explain
