#include "cmd/dra-controller-manager/explain/read_cluster.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "client/discovery/discovery.hpp"
#include "client/request/typed.hpp"
#include "cmd/dra-controller-manager/explain/cluster_copy.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"

namespace dcm::manager {
namespace {

using client::Availability;
using client::Served;
using runtime::Result;
using runtime::Task;

const Served kCoreV1{"v1"};

// One pass over the cluster. Errors are kept until its end.
class Reading {
 public:
  Reading(client::RestClient& rest, const ClusterQuestion& question)
      : rest_(rest), question_(question), discovery_(rest) {}

  // Whether there is enough to explain the object from.
  Task<Result<>> run() {
    const Availability claims =
        co_await find({&api::kResourceClaims, &api::kResourceClaimTemplates});
    if (const auto* unknown = std::get_if<client::Unknown>(&claims)) {
      co_return runtime::fail(unknown->error);
    }
    if (const auto* not_served = std::get_if<client::NotServed>(&claims)) {
      co_return runtime::fail(runtime::Reason::not_served, not_served->why);
    }
    Result<> read = co_await read_namespaced(std::get<Served>(claims));
    if (read) co_await read_taints(std::get<Served>(claims));
    if (read && question_.features.generic_workload) co_await read_groups();
    co_return read;
  }

  ListedObjects take_objects() { return std::move(objects_); }
  const std::string& missing() const { return missing_; }

 private:
  Task<Result<>> read_namespaced(Served served) {
    Result<> read =
        co_await list(api::kPods, kCoreV1, api::make_json_pod_decoder(api::PodSelection::all),
                      name_space(), objects_.pods);
    if (!read) co_return read;
    read = co_await list(api::kResourceClaims, served, api::make_json_claim_decoder(served.version),
                         name_space(), objects_.claims);
    if (!read || question_.subject.kind == Subject::Kind::rule) co_return read;
    read = co_await list(api::kResourceClaimTemplates, served,
                         api::make_json_template_decoder(served.version), name_space(),
                         objects_.templates);
    co_return read;
  }

  // Often only cluster admins may read these.
  Task<> read_taints(Served served) {
    Result<> read =
        co_await list(api::kResourceSlices, served, api::make_json_slice_decoder(served.version),
                      "", objects_.slices);
    note_missing(read);
    const Availability rules = co_await find({&api::kDeviceTaintRules});
    const auto* rules_served = std::get_if<Served>(&rules);
    if (rules_served == nullptr) co_return;  // then there are none
    read = co_await list(api::kDeviceTaintRules, *rules_served, api::make_json_rule_decoder(), "",
                         objects_.rules);
    note_missing(read);
  }

  Task<> read_groups() {
    const Availability groups = co_await find({&api::kPodGroups});
    const auto* served = std::get_if<Served>(&groups);
    if (served == nullptr) co_return;  // then there are none
    note_missing(co_await list(api::kPodGroups, *served, api::make_json_group_decoder(),
                               name_space(), objects_.groups));
  }

  template <class T>
  Task<Result<>> list(const api::ResourceKind& kind, Served served,
                      std::unique_ptr<api::Decoder<T>> decoder, std::string name_space,
                      Listed<T>& objects) {
    client::TypedClient<T> typed(rest_, client::resource_of(kind, served), *decoder);
    auto listed = co_await typed.list_all(std::move(name_space), {.deadline = question_.deadline});
    if (!listed) co_return runtime::fail(listed.error());
    objects = *std::move(listed);
    co_return Result<>();
  }

  Task<Availability> find(client::KindSet kinds) {
    return discovery_.find(std::move(kinds), question_.deadline);
  }
  // A rule may concern pods anywhere.
  std::string name_space() const { return question_.subject.key.namespace_.str(); }
  void note_missing(const Result<>& read) {
    if (read) return;
    missing_ += (missing_.empty() ? "" : "; ") + read.error().message;
  }

  client::RestClient& rest_;
  const ClusterQuestion& question_;
  client::Discovery discovery_;
  ListedObjects objects_;
  std::string missing_;
};

}  // namespace

Task<ExplainOutcome> read_cluster(client::RestClient& rest, runtime::TimeSource& time,
                                  ClusterQuestion question) {
  Reading reading(rest, question);
  const Result<> read = co_await reading.run();
  if (!read) co_return ExplainOutcome{ExplainStatus::not_answered, read.error().message};
  const ClusterCopy copy(time, question.features, reading.take_objects());
  auto explanation = copy.source().explain(question.subject);
  if (!explanation) {
    const std::string why = reading.missing().empty() ? "" : ": " + reading.missing();
    co_return ExplainOutcome{
        reading.missing().empty() ? ExplainStatus::no_such_object : ExplainStatus::not_answered,
        fmt::format("{} {} is not in the cluster{}", kind_of(question.subject.kind),
                    question.subject.key.str(), why)};
  }
  const Teller teller{.role = Teller::Role::reads, .missing = reading.missing()};
  co_return ExplainOutcome{
      ExplainStatus::explained,
      render({*std::move(explanation), teller, time.wall_now()}, question.format)};
}

}  // namespace dcm::manager
