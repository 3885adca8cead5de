#include "explain/read_cluster.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "client/discovery/discovery.hpp"
#include "client/request/typed.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"
#include "explain/cluster_copy.hpp"
#include "explain/devices/read_devices.hpp"
#include "explain/read_evidence.hpp"

namespace dcm::explain {
namespace {

using client::Availability;
using client::Served;
using common::Draft;
using common::Input;
using common::Outlook;
using common::Topic;
using runtime::Reason;
using runtime::Result;
using runtime::Task;

// One pass over the cluster. Errors are kept until its end.
class Reading {
 public:
  Reading(client::RestClient& rest, const ClusterQuestion& question)
      : rest_(rest), question_(question), discovery_(rest) {}

  // Whether enough was read to explain the object.
  Task<Result<>> run() {
    const Availability found =
        co_await find({&api::kResourceClaims, &api::kResourceClaimTemplates});
    const Result<Served> served = client::served_of(found);
    if (!served) co_return runtime::fail(served.error());
    co_await read_namespaced(*served);
    co_await read_taints(*served);
    if (question_.features.generic_workload || question_.subject.kind == Subject::Kind::group) {
      co_await read_groups();
    }
    if (not_served_) co_return runtime::fail(Reason::not_served, *not_served_);
    if (sight_.is_hidden(input_of(question_.subject.kind))) {
      co_return runtime::fail(Reason::forbidden, sight_.gap(input_of(question_.subject.kind)));
    }
    co_return Result<>();
  }

  ListedObjects take_objects() { return std::move(objects_); }
  const common::Sight& sight() const { return sight_; }

 private:
  Task<> read_namespaced(Served served) {
    co_await list(Input::pods, api::kPods, client::kCoreV1,
                  api::make_json_pod_decoder(api::PodSelection::all), namespace_(), objects_.pods);
    co_await list(Input::claims, api::kResourceClaims, served,
                  api::make_json_claim_decoder(served.version), namespace_(), objects_.claims);
    if (question_.subject.kind == Subject::Kind::rule) co_return;
    co_await list(Input::templates, api::kResourceClaimTemplates, served,
                  api::make_json_template_decoder(served.version), namespace_(),
                  objects_.templates);
  }

  // Often only cluster admins may read these.
  Task<> read_taints(Served served) {
    co_await list(Input::slices, api::kResourceSlices, served,
                  api::make_json_slice_decoder(served.version), "", objects_.slices);
    const Availability rules = co_await find({&api::kDeviceTaintRules});
    const Served* rules_served = served_or_hidden(Input::rules, rules);
    if (rules_served == nullptr) co_return;
    co_await list(Input::rules, api::kDeviceTaintRules, *rules_served,
                  api::make_json_rule_decoder(), "", objects_.rules);
  }

  Task<> read_groups() {
    const Availability groups = co_await find({&api::kPodGroups});
    const Served* served = served_or_hidden(Input::groups, groups);
    if (served == nullptr) co_return;
    co_await list(Input::groups, api::kPodGroups, *served, api::make_json_group_decoder(),
                  namespace_(), objects_.groups);
  }

  // Returns null if the kind is not served, or if that is unknown.
  const Served* served_or_hidden(Input input, const Availability& availability) {
    const auto* not_served = std::get_if<client::NotServed>(&availability);
    if (not_served != nullptr && input == input_of(question_.subject.kind)) {
      not_served_ = not_served->why;
    }
    if (const auto* unknown = std::get_if<client::Unknown>(&availability)) {
      sight_.hide(input, unknown->error.message);
    }
    return std::get_if<Served>(&availability);
  }

  template <class T>
  Task<> list(Input input, const api::ResourceKind& kind, Served served,
              std::unique_ptr<api::Decoder<T>> decoder, std::string namespace_,
              Listed<T>& objects) {
    client::TypedClient<T> typed(rest_, client::resource_of(kind, served), *decoder);
    auto listed = co_await typed.list_all(
        std::move(namespace_),
        {.deadline = question_.deadline, .retries = client::Retries::allowed});
    if (listed) {
      objects = *std::move(listed);
    } else {
      sight_.hide(input, listed.error().message);
    }
  }

  Task<Availability> find(client::KindSet kinds) {
    return discovery_.find(std::move(kinds), question_.deadline);
  }
  // A rule may concern pods anywhere.
  std::string namespace_() const { return question_.subject.key.namespace_.str(); }

  client::RestClient& rest_;
  const ClusterQuestion& question_;
  client::Discovery discovery_;
  ListedObjects objects_;
  common::Sight sight_;
  std::optional<std::string> not_served_;  // why the kind of the subject itself is not served
};

// This command knows the manager's gates only from its own flags.
void doubt_gates(Draft& draft) {
  for (Topic& topic : draft.topics) {
    for (common::Finding& finding : topic.findings) {
      if (finding.reason != "FeatureDisabled" && finding.reason != "InGroup") continue;
      finding.outlook = Outlook::unknown;
      finding.text =
          "With the default feature gates: " + finding.text +
          " It is not known which gates the manager has: pass them with --feature-gates.";
    }
  }
}

ExplainOutcome not_in_cluster(const Subject& subject) {
  return {ExplainStatus::no_such_object,
          fmt::format("{} {} is not in the cluster", resource_of(subject.kind).kind,
                      subject.key.str())};
}

}  // namespace

Task<ExplainOutcome> read_cluster(client::RestClient& rest, runtime::TimeSource& time,
                                  ClusterQuestion question) {
  Reading reading(rest, question);
  const Result<> read = co_await reading.run();
  if (!read) co_return ExplainOutcome{ExplainStatus::not_answered, read.error().message};
  common::Sight sight = reading.sight();
  // One moment for all sentences: to judge the lease may take seconds.
  const runtime::WallTime now = time.wall_now();
  std::optional<Draft> draft =
      explain_listed(time, question.features, reading.take_objects(), question.subject);
  if (!draft) co_return not_in_cluster(question.subject);
  if (question.gates == ClusterQuestion::Gates::assumed) doubt_gates(*draft);
  Evidence evidence =
      co_await read_evidence(rest, question.subject, *draft, Refusals::asked, question.deadline);
  if (asks_devices(evidence, *draft)) {
    evidence.devices =
        co_await read_devices(rest, time, question.subject, Names::all, question.deadline);
  }
  add_evidence(evidence, now, *draft, sight);
  common::Worker worker;
  if (common::needs_worker(draft->topics)) {
    auto judged = co_await read_worker(rest, time, now, question.lease, question.deadline);
    if (judged) {
      worker = *std::move(judged);
    } else {
      sight.hide(Input::worker, judged.error().why);
    }
  }
  const Told told{common::settle(*std::move(draft), sight, worker),
                  Teller{.role = Teller::Role::reads}, now};
  co_return ExplainOutcome{status_of(told.explanation), render(told, question.format)};
}

}  // namespace dcm::explain
