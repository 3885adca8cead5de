#include "playground/demo/ledger.hpp"

#include <gmock/gmock.h>

namespace dcm::playground {
namespace {

using api::PodPhase;
using testing::ElementsAre;
using testing::IsEmpty;

const api::Uid kPodUid("5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11");

api::ObjectPtr<Pod> pod(PodPhase phase, bool is_named = false, const char* namespace_ = "demo") {
  Pod made;
  made.meta.key = {namespace_, "worker"};
  made.meta.uid = kPodUid;
  made.phase = phase;
  made.claims = {{"gpu", "", "one-gpu"}};
  if (is_named) made.claim_statuses = {{"gpu", "worker-gpu-abcde"}};
  return api::ObjectPtr(std::move(made));
}

struct ClaimState {
  const char* name = "worker-gpu-abcde";
  bool is_generated = true;
  bool is_allocated = false;
  bool is_reserved = false;
};

api::ObjectPtr<Claim> claim(ClaimState state) {
  Claim made;
  made.meta.key = {"demo", state.name};
  made.pod_claim_name = "gpu";
  if (state.is_generated) {
    made.controller = api::ControllerRef{"", "Pod", "worker", kPodUid};
  }
  made.is_allocated = state.is_allocated;
  if (state.is_allocated) made.devices.push_back({{"gpu", "node-0", "dev-0"}, nullptr});
  if (state.is_reserved) made.reserved_for.push_back({"", "pods", "worker", kPodUid});
  return api::ObjectPtr(std::move(made));
}

const auto kPending = pod(PodPhase::pending);
const auto kNamed = pod(PodPhase::pending, true);
const auto kRunning = pod(PodPhase::running, true);
const auto kFinished = pod(PodPhase::succeeded, true);
const auto kMade = claim({});
const auto kReserved = claim({.is_allocated = true, .is_reserved = true});

// A pod's whole life, as a watch shows it.
void tell_all(Ledger& ledger) {
  ledger.observe_pod(nullptr, kPending);
  ledger.observe_claim(nullptr, kMade);
  ledger.observe_pod(kPending, kNamed);
  ledger.observe_claim(kMade, kReserved);
  ledger.observe_pod(kNamed, kRunning);
  ledger.observe_pod(kRunning, kFinished);
  ledger.observe_claim(kReserved, kMade);
  ledger.observe_claim(kMade, nullptr);
}

TEST(Ledger, finds_no_mistake_in_complete_life) {
  Ledger ledger("demo");
  tell_all(ledger);
  EXPECT_TRUE(ledger.is_over());
  EXPECT_THAT(ledger.mistakes(), IsEmpty());
  EXPECT_EQ(ledger.tally(), (Tally{.pods_seen = 1,
                                   .pods_finished = 1,
                                   .pod_claims = 1,
                                   .claims_made = 1,
                                   .names_written = 1,
                                   .reserved = 1,
                                   .released = 1,
                                   .deallocated = 1,
                                   .claims_deleted = 1}));
}

TEST(Ledger, counts_current_objects) {
  Ledger ledger("demo");
  ledger.observe_pod(nullptr, kRunning);
  ledger.observe_claim(nullptr, kReserved);
  EXPECT_EQ(ledger.tally().pods_running, 1U);
  EXPECT_EQ(ledger.tally().claims_allocated, 1U);
  EXPECT_EQ(ledger.tally().reservations, 1U);
  EXPECT_EQ(ledger.tally().devices_in_use, 1U);
  EXPECT_FALSE(ledger.is_over());
}

TEST(Ledger, treats_deleted_pod_as_ended) {
  Ledger ledger("demo");
  ledger.observe_pod(nullptr, kRunning);
  ledger.observe_claim(nullptr, kMade);
  ledger.observe_pod(kRunning, nullptr);
  ledger.observe_claim(kMade, nullptr);
  EXPECT_TRUE(ledger.is_over());
  EXPECT_EQ(ledger.tally().pods_deleted, 1U);
  EXPECT_THAT(ledger.mistakes(), IsEmpty());
}

TEST(Ledger, reports_second_claim_even_if_deleted) {
  Ledger ledger("demo");
  tell_all(ledger);
  const auto second = claim({.name = "worker-gpu-fghij"});
  ledger.observe_claim(nullptr, second);
  ledger.observe_claim(second, nullptr);
  EXPECT_THAT(ledger.mistakes(), ElementsAre("pod worker has two claims for its pod claim gpu",
                                             "2 claims were made for 1 pod claims"));
}

TEST(Ledger, reports_claim_never_created) {
  Ledger ledger("demo");
  ledger.observe_pod(nullptr, kFinished);
  EXPECT_THAT(ledger.mistakes(), ElementsAre("0 claims were made for 1 pod claims"));
}

TEST(Ledger, reports_leftovers) {
  Ledger ledger("demo");
  ledger.observe_pod(nullptr, kRunning);
  ledger.observe_claim(nullptr, kReserved);
  EXPECT_THAT(ledger.mistakes(), ElementsAre("1 claims are left", "1 devices are still in use",
                                             "1 pods have not ended"));
}

TEST(Ledger, reports_device_of_two_claims) {
  Ledger ledger("demo");
  tell_all(ledger);
  const auto one = claim({.name = "a", .is_generated = false, .is_allocated = true});
  const auto other = claim({.name = "b", .is_generated = false, .is_allocated = true});
  ledger.observe_claim(nullptr, one);
  ledger.observe_claim(nullptr, other);
  ledger.observe_claim(one, nullptr);
  ledger.observe_claim(other, nullptr);
  EXPECT_THAT(ledger.mistakes(), ElementsAre("device gpu/node-0/dev-0 is allocated to two claims"));
}

TEST(Ledger, ignores_other_namespaces) {
  Ledger ledger("demo");
  ledger.observe_pod(nullptr, pod(PodPhase::running, true, "other"));
  EXPECT_EQ(ledger.tally(), Tally());
}

TEST(Ledger, does_not_count_deleted_pod_as_finished) {
  Ledger ledger("demo");
  Pod changed = *kRunning;
  changed.meta.is_being_deleted = true;
  const api::ObjectPtr<Pod> deleted(changed);
  changed.phase = PodPhase::failed;
  const api::ObjectPtr<Pod> ended(changed);
  ledger.observe_pod(nullptr, kRunning);
  ledger.observe_pod(kRunning, deleted);
  ledger.observe_pod(deleted, ended);
  ledger.observe_pod(ended, nullptr);
  EXPECT_EQ(ledger.tally().pods_finished, 0U);
  EXPECT_EQ(ledger.tally().pods_deleted, 1U);
}

}  // namespace
}  // namespace dcm::playground
