// Explanations of a claim: a row is the known state, and the sentence that explains it.
#include <gtest/gtest.h>

#include "controllers/resource_claim/explain/explain.hpp"
#include "test/support/objects.hpp"

namespace dcm::resource_claim {
namespace {

using api::PodPhase;
using test::make_claim;
using test::make_pod;

struct Row {
  const char* sentence;
  ClaimPtr claim;
  std::vector<PodPtr> pods;
  Miss miss;
  std::vector<const char*> parts;  // of the findings, in this order
};

std::string told(const Row& row) {
  ClaimSnapshot snapshot;
  snapshot.claim = row.claim;
  for (const PodPtr& pod : row.pods) {
    snapshot.cached[{ConsumerName::Kind::pod, pod->meta.key.name}] = consumer_of(*pod);
  }
  std::string text;
  for (const common::Topic& topic : explain_claim(std::move(snapshot), row.miss)) {
    for (const common::Finding& finding : topic.findings) {
      text += std::string(to_string(finding.outlook)) + " " + finding.reason + ": " + finding.text +
              "\n";
    }
  }
  return text;
}

void expect_told(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const std::string text = told(row);
    std::size_t at = 0;
    for (const char* part : row.parts) {
      const std::size_t found = text.find(part, at);
      EXPECT_NE(found, std::string::npos) << row.sentence << ": " << part << "\nin\n" << text;
      if (found != std::string::npos) at = found;
    }
  }
}

const PodPtr kRuns = make_pod("p").on_node("n").phase(PodPhase::running);
const PodPtr kEnded = make_pod("p").on_node("n").phase(PodPhase::failed);

test::ClaimBuilder in_use() {
  return make_claim("c").with_device("pool", "gpu-0").reserved_for("p").with_finalizer();
}

TEST(ExplainClaim, lists_consumers) {
  expect_told({
      {"a pod that runs",
       in_use(),
       {kRuns},
       Miss::unknown,
       {"fine Allocated: It is allocated: gpu.example.com/pool/gpu-0.",
        "note ReservedFor: It is reserved for 1 of at most 256 consumers.",
        "note ReservedForPod: Pod \"p\" (UID p-uid) may still run", "fine NothingToDo"}},
      {"a pod that has ended",
       in_use(),
       {kEnded},
       Miss::unknown,
       {"acting ConsumerEnded: Pod \"p\" (UID p-uid) has ended: its reservation is removed.",
        "acting Release: Next: remove 1 reservation, and release its devices with the last "
        "one."}},
      {"a pod that the cache does not have",
       in_use(),
       {},
       Miss::unknown,
       {"acting ConsumerUnknown: ", "acting GetPod: Next: ask the API server for pod \"p\"."}},
      {"a pod that is not in the cluster",
       in_use(),
       {},
       Miss::gone,
       {"acting ConsumerGone: Pod \"p\" (UID p-uid) is gone", "acting Release: "}},
      {"another pod of that name",
       in_use(),
       {make_pod("p").with_uid("new")},
       Miss::gone,
       {"is gone", "acting Release: "}},
      {"something that is no pod",
       make_claim("c").allocated().reserved_for_consumer({"x.io", "jobs", "j", api::Uid("u")}),
       {},
       Miss::unknown,
       {"note ReservedForOther: jobs \"j\" (UID u) is not a pod: its reservation is kept"}},
      {"nobody",
       make_claim("c"),
       {},
       Miss::unknown,
       {"waiting NotAllocated", "note ReservedForNobody"}},
  });
}

TEST(ExplainClaim, names_owner) {
  const auto made = [] { return make_claim("c").generated_for("p", "accel"); };
  expect_told({
      {"a user's", make_claim("c"), {}, Miss::unknown, {"note UserClaim: "}},
      {"a pod's that runs",
       made(),
       {kRuns},
       Miss::unknown,
       {"note Generated: It was made for pod claim \"accel\" of pod \"p\" (UID p-uid). It is "
        "deleted when that pod has ended."}},
      {"a pod's that has ended",
       made(),
       {kEnded},
       Miss::unknown,
       {"note OwnerEnded: ", "acting Delete: Next: delete it"}},
      {"a pod's that is not known",
       made(),
       {},
       Miss::unknown,
       {"note Generated: ", "garbage collector"}},
      {"one for extended resources",
       make_claim("c").for_extended_resources_of("p"),
       {kRuns},
       Miss::unknown,
       {"note Generated: The scheduler made it for the extended resources of pod \"p\""}},
      {"somebody else's",
       make_claim("c").controlled_by({"x.io", "Job", "j", api::Uid("u")}),
       {},
       Miss::unknown,
       {"note OwnedByOther: It belongs to Job \"j\" (UID u)"}},
  });
}

TEST(ExplainClaim, names_what_delays_deletion) {
  expect_told({
      {"reserved for another consumer",
       in_use().being_deleted(),
       {kRuns},
       Miss::unknown,
       {"waiting DeletionHeldByConsumers: ResourceClaim \"c\" is being deleted, and remains until "
        "its consumers have ended: pod \"p\"."}},
      {"its devices are given back now",
       make_claim("c").allocated().with_finalizer().being_deleted(),
       {},
       Miss::unknown,
       {"acting DeletionUnderWay", "acting Deallocate: Next: release its devices."}},
      {"its finalizer is removed now",
       make_claim("c").with_finalizer().being_deleted(),
       {},
       Miss::unknown,
       {"acting DeletionUnderWay", "acting RemoveFinalizer"}},
      {"another finalizer keeps it",
       make_claim("c").being_deleted(),
       {},
       Miss::unknown,
       {"stuck DeletionHeldByOthers", "fine NothingToDo"}},
  });
}

TEST(ExplainClaim, says_that_the_name_of_a_group_is_anothers) {
  ClaimSnapshot snapshot;
  snapshot.claim = make_claim("c").reserved_for_group("g").get();
  snapshot.group_claims = common::GroupClaims::shared;
  snapshot.answers[{ConsumerName::Kind::group, "g"}] = Consumer{.uid = api::Uid("new")};
  const auto topics = explain_claim(std::move(snapshot), Miss::unknown);
  const auto& findings = topics.front().findings;
  const auto found = std::ranges::find(findings, "ConsumerEnded", &common::Finding::reason);
  ASSERT_NE(found, findings.end());
  EXPECT_TRUE(found->text.ends_with(
      " is gone, and another object has its name: its reservation is removed."))
      << found->text;
}

}  // namespace
}  // namespace dcm::resource_claim
