// The controller's decisions about a claim, as a table: the known state, and the next step.
#include "controllers/resource_claim/rules/decide_claim.hpp"

#include <gtest/gtest.h>

#include "controllers/resource_claim/explain/describe.hpp"
#include "test/support/objects.hpp"

namespace dcm::resource_claim {
namespace {

using api::PodPhase;
using runtime::Error;
using runtime::Reason;
using test::make_claim;
using test::make_pod;

// A snapshot on one line.
class Known {
 public:
  explicit Known(ClaimPtr claim) { snapshot_.claim = std::move(claim); }

  Known& deleted(const std::string& pod) {
    snapshot_.deleted.insert(test::uid_of(pod));
    return *this;
  }
  Known& cached(const PodPtr& pod) {
    snapshot_.cached[named(pod->meta.key.name)] = consumer_of(*pod);
    return *this;
  }
  Known& got(const PodPtr& pod) {
    snapshot_.answers[named(pod->meta.key.name)] = consumer_of(*pod);
    return *this;
  }
  Known& got(const std::string& pod, ConsumerAnswer answer) {
    snapshot_.answers[named(pod)] = std::move(answer);
    return *this;
  }
  Known& released() {
    snapshot_.progress = ClaimSnapshot::Progress::released;
    return *this;
  }
  Known& unprotected() {
    snapshot_.progress = ClaimSnapshot::Progress::unprotected;
    return *this;
  }

  operator ClaimSnapshot() const { return snapshot_; }

 private:
  static ConsumerName named(const api::InternedString& pod) {
    return {ConsumerName::Kind::pod, pod};
  }

  ClaimSnapshot snapshot_;
};

struct Row {
  const char* sentence;
  ClaimSnapshot known;
  const char* step;
};

void expect_steps(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    EXPECT_EQ(describe(decide_claim(row.known)), row.step) << row.sentence;
  }
}

test::ClaimBuilder in_use() {
  return make_claim("c").allocated().reserved_for("p").with_finalizer();
}

TEST(DecideClaim, drops_stale_reservations) {
  expect_steps({
      {"a pod that is known as deleted", Known(in_use()).deleted("p"), "release p-uid, deallocate"},
      {"unless it came back, as after a restore of etcd",
       Known(in_use()).deleted("p").cached(make_pod("p").on_node("n")), "finished"},
      {"a pod that runs keeps it",
       Known(in_use()).cached(make_pod("p").on_node("n").phase(PodPhase::running)), "finished"},
      {"a pod that waits for its node keeps it", Known(in_use()).cached(make_pod("p")), "finished"},
      {"a pod that is being deleted from its node keeps it",
       Known(in_use()).cached(make_pod("p").on_node("n").being_deleted()), "finished"},
      {"a pod that succeeded",
       Known(in_use()).cached(make_pod("p").on_node("n").phase(PodPhase::succeeded)),
       "release p-uid, deallocate"},
      {"a pod that failed",
       Known(in_use()).cached(make_pod("p").on_node("n").phase(PodPhase::failed)),
       "release p-uid, deallocate"},
      {"a pod that is being deleted and has no node",
       Known(in_use()).cached(make_pod("p").being_deleted()), "release p-uid, deallocate"},
      {"a pod that the cache does not have is asked for", Known(in_use()), "get pod p"},
      {"it is there: it keeps it", Known(in_use()).got(make_pod("p")), "finished"},
      {"it is not: it goes", Known(in_use()).got("p", Gone{}), "release p-uid, deallocate"},
      {"another pod has the name by now", Known(in_use()).got(make_pod("p").with_uid("new")),
       "release p-uid, deallocate"},
      {"it is there but done",
       Known(in_use()).got(make_pod("p").on_node("n").phase(PodPhase::failed)),
       "release p-uid, deallocate"},
      {"the look-up fails: nothing is changed",
       Known(in_use()).got("p", Error{Reason::server_timeout, "timeout"}), "finished; timeout"},
      {"the cache has another pod of that name, and this one is known as deleted",
       Known(in_use()).cached(make_pod("p").with_uid("new")).deleted("p"),
       "release p-uid, deallocate"},
      {"the cache has another pod of that name, which may be the older one: ask",
       Known(in_use()).cached(make_pod("p").with_uid("other")), "get pod p"},
      {"the cached one was the older: it keeps it",
       Known(in_use()).cached(make_pod("p").with_uid("old")).got(make_pod("p")), "finished"},
      {"the cached one was the newer: it goes",
       Known(in_use()).cached(make_pod("p").with_uid("new")).got(make_pod("p").with_uid("new")),
       "release p-uid, deallocate"},
      {"no pod can have such a name, and we ask for none",
       Known(make_claim("c").allocated().with_finalizer().reserved_for("../nodes/n")),
       "release ../nodes/n-uid, deallocate"},
      {"a UID that is no UUID is a UID like any other",
       Known(make_claim("c").allocated().with_finalizer().reserved_for_consumer(
                 {"", "pods", "p", api::Uid("whatever")}))
           .cached(make_pod("p").with_uid("whatever")),
       "finished"},
  });
}

TEST(DecideClaim, keeps_consumers_other_than_pods) {
  const api::ConsumerReference group{"scheduling.k8s.io", "podgroups", "g", api::Uid("g-uid")};
  const api::ConsumerReference other{"example.com", "widgets", "p", api::Uid("w-uid")};
  const api::ConsumerReference node{"", "nodes", "p", api::Uid("n-uid")};
  expect_steps({
      {"a group keeps it forever, as the feature is off",
       Known(make_claim("c").allocated().with_finalizer().reserved_for_consumer(group)),
       "finished"},
      {"so does anything else, even one that is called as a deleted pod",
       Known(make_claim("c").allocated().with_finalizer().reserved_for_consumer(other))
           .deleted("w"),
       "finished"},
      {"also one of the core group",
       Known(make_claim("c").allocated().with_finalizer().reserved_for_consumer(node)), "finished"},
      {"the others are still judged, and the claim stays allocated",
       Known(make_claim("c").allocated().with_finalizer().reserved_for_consumer(group).reserved_for(
                 "p"))
           .deleted("p"),
       "release p-uid"},
  });
}

TEST(DecideClaim, releases) {
  expect_steps({
      {"the others keep theirs, and the claim its allocation",
       Known(in_use().reserved_for("q")).deleted("p").cached(make_pod("q")), "release p-uid"},
      {"all that go, go in one write",
       Known(in_use().reserved_for("q").reserved_for("r"))
           .deleted("p")
           .deleted("q")
           .cached(make_pod("r")),
       "release p-uid q-uid"},
      {"with the last one the allocation goes in the same write",
       Known(in_use().reserved_for("q")).deleted("p").deleted("q"),
       "release p-uid q-uid, deallocate"},
      {"without our finalizer the allocation is not ours to clear",
       Known(make_claim("c").allocated().reserved_for("p")).deleted("p"), "release p-uid"},
      {"one failed look-up holds everything back",
       Known(in_use().reserved_for("q"))
           .deleted("p")
           .got("q", Error{Reason::disconnected, "reset"}),
       "finished; reset"},
      {"not twice in a round: somebody may restore them repeatedly",
       Known(in_use()).deleted("p").released(), "finished; released consumers came back"},
      {"a claim that is allocated and was never reserved is left allocated",
       Known(make_claim("c").allocated().with_finalizer()), "finished"},
      {"a claim for extended resources is released by the same rules",
       Known(
           make_claim("c").for_extended_resources_of("p").allocated().with_finalizer().reserved_for(
               "p"))
           .deleted("p"),
       "release p-uid, deallocate"},
  });
}

TEST(DecideClaim, says_what_failed) {
  const auto failed = [](const ClaimSnapshot& known) {
    return std::string(std::get<EndClaimRound>(decide_claim(known)).failure->what);
  };
  const Error reset{Reason::disconnected, "reset"};
  EXPECT_EQ(failed(Known(in_use()).got("p", reset)), "look for the consumers of");
  EXPECT_EQ(failed(Known(in_use()).deleted("p").released()), "release");
}

TEST(DecideClaim, removes_finalizer) {
  expect_steps({
      {"once this round has deallocated the claim",
       Known(make_claim("c").with_finalizer()).released(), "remove finalizer"},
      {"not if this round left it allocated",
       Known(make_claim("c").allocated().with_finalizer()).released(), "finished"},
      {"not while others have reservations",
       Known(make_claim("c").allocated().with_finalizer().reserved_for("q"))
           .cached(make_pod("q"))
           .released(),
       "finished"},
      {"not from an idle claim: the scheduler sets it before it allocates",
       Known(make_claim("c").with_finalizer()), "finished"},
      {"from a claim that is being deleted and is not allocated",
       Known(make_claim("c").with_finalizer().being_deleted()), "remove finalizer"},
      {"from one that is being deleted and allocated, after it is deallocated",
       Known(make_claim("c").allocated().with_finalizer().being_deleted()), "release, deallocate"},
      {"and then", Known(make_claim("c").with_finalizer().being_deleted()).released(),
       "remove finalizer"},
      {"a claim that is being deleted is not deallocated twice",
       Known(make_claim("c").allocated().with_finalizer().being_deleted()).released(), "finished"},
      {"not from one that is being deleted and still reserved",
       Known(in_use().being_deleted()).cached(make_pod("p")), "finished"},
      {"the last reservation of a claim that is being deleted goes first",
       Known(in_use().being_deleted()).deleted("p"), "release p-uid, deallocate"},
      {"nothing without our finalizer", Known(make_claim("c").allocated().being_deleted()),
       "finished"},
      {"not twice: somebody may restore it repeatedly",
       Known(make_claim("c").with_finalizer()).unprotected(), "finished"},
      {"nothing is left of a claim that went with its finalizer", Known(ClaimPtr()), "finished"},
  });
}

test::ClaimBuilder generated() {
  return make_claim("c").generated_for("p", "gpus");
}

TEST(DecideClaim, deletes_generated_claims) {
  expect_steps({
      {"its pod is done", Known(generated()).cached(make_pod("p").phase(PodPhase::succeeded)),
       "delete"},
      {"its pod is deleted before it had a node",
       Known(generated()).cached(make_pod("p").being_deleted()), "delete"},
      {"its pod runs", Known(generated()).cached(make_pod("p").on_node("n")), "finished"},
      {"not for a pod missing in the cache: the garbage collector handles it", Known(generated()),
       "finished"},
      {"even if it is known as deleted", Known(generated()).deleted("p"), "finished"},
      {"a pod without claims is not in the cache, but was asked for as a consumer: it is done",
       Known(generated()).got(make_pod("p").phase(PodPhase::succeeded)).released(), "delete"},
      {"it may run", Known(generated()).got(make_pod("p")).released(), "finished"},
      {"its pod was replaced",
       Known(generated()).cached(make_pod("p").with_uid("new")).deleted("p"), "delete"},
      {"the cache has another pod of that name, which may be the older one: ask",
       Known(generated()).cached(make_pod("p").with_uid("other")), "get pod p"},
      {"it was the newer",
       Known(generated()).cached(make_pod("p").with_uid("new")).got(make_pod("p").with_uid("new")),
       "delete"},
      {"it was the older",
       Known(generated()).cached(make_pod("p").with_uid("old")).got(make_pod("p")), "finished"},
      {"both are gone: the garbage collector's work",
       Known(generated()).cached(make_pod("p").with_uid("old")).got("p", Gone{}), "finished"},
      {"the look-up fails: nothing is changed",
       Known(generated())
           .cached(make_pod("p").with_uid("old"))
           .got("p", Error{Reason::server_timeout, "timeout"}),
       "finished; timeout"},
      {"not while a reservation is left",
       Known(generated().allocated().reserved_for("q"))
           .cached(make_pod("p").phase(PodPhase::succeeded))
           .cached(make_pod("q")),
       "finished"},
      {"not if it is being deleted already",
       Known(generated().being_deleted()).cached(make_pod("p").phase(PodPhase::succeeded)),
       "finished"},
      {"not a user's claim, regardless of its consumers",
       Known(make_claim("c")).cached(make_pod("p").phase(PodPhase::succeeded)), "finished"},
      {"not a claim whose controller is something else of that name",
       Known(make_claim("c").controlled_by({"apps", "Pod", "p", test::uid_of("p")}))
           .cached(make_pod("p").phase(PodPhase::succeeded)),
       "finished"},
      {"nor one that a group owns",
       Known(
           make_claim("c").controlled_by({"scheduling.k8s.io", "PodGroup", "p", test::uid_of("p")}))
           .cached(make_pod("p").phase(PodPhase::succeeded)),
       "finished"},
      {"after the release and the finalizer, in the same round",
       Known(generated()).cached(make_pod("p").phase(PodPhase::succeeded)).released(), "delete"},
      {"the finalizer comes first",
       Known(generated().with_finalizer())
           .cached(make_pod("p").phase(PodPhase::succeeded))
           .released(),
       "remove finalizer"},
      {"an idle finalizer does not keep it from being deleted",
       Known(generated().with_finalizer()).cached(make_pod("p").phase(PodPhase::succeeded)),
       "delete"},
      {"a claim for extended resources is deleted by the same rules",
       Known(make_claim("c").for_extended_resources_of("p"))
           .cached(make_pod("p").extended_resource_claim("c").phase(PodPhase::failed)),
       "delete"},
  });
}

}  // namespace
}  // namespace dcm::resource_claim
