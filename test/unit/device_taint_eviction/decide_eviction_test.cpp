// The next step of a worker for a pod, as a table.
#include "controllers/device_taint_eviction/rules/decide_eviction.hpp"

#include <gtest/gtest.h>

#include "test/unit/device_taint_eviction/world.hpp"

namespace dcm::device_taint_eviction {
namespace {

using api::DisruptionTarget;
using api::PodPhase;
using enum EvictionStep;

EvictionSnapshot due_pod(PodPtr pod) {
  return {.pod = std::move(pod), .uid = test::uid_of("p"), .due = at(0s), .now = at(0s)};
}
EvictionSnapshot marked(EvictionSnapshot snapshot) {
  snapshot.mark = EvictionSnapshot::Mark::written;
  return snapshot;
}
EvictionSnapshot by_eviction_api(EvictionSnapshot snapshot) {
  snapshot.mode = EvictionMode::evict;
  return snapshot;
}
EvictionSnapshot due_at(std::optional<WallTime> due, EvictionSnapshot snapshot) {
  snapshot.due = due;
  return snapshot;
}

struct Row {
  const char* sentence;
  EvictionSnapshot snapshot;
  EvictionStep step;
};

TEST(DecideEviction, chooses_next_step) {
  const auto p = [] { return user_of_claim("p"); };
  const Row kRows[] = {
      {"first it is marked", due_pod(p()), mark},
      {"then it is deleted", marked(due_pod(p())), remove},
      {"the mark is there from an earlier attempt",
       due_pod(p().disruption_target(DisruptionTarget::by_device_taint)), remove},
      {"a mark for another reason is replaced, but not its time",
       due_pod(p().disruption_target(DisruptionTarget::other)), mark_too},
      {"once replaced it is deleted",
       marked(due_pod(p().disruption_target(DisruptionTarget::other))), remove},
      {"by the Eviction API there is no mark", by_eviction_api(due_pod(p())), evict},
      {"it is gone", due_pod(nullptr), nothing},
      {"another pod has its name", due_pod(p().with_uid("new")), nothing},
      {"another pod has its name by the time it is marked", marked(due_pod(p().with_uid("new"))),
       nothing},
      {"it is being deleted already", due_pod(p().being_deleted()), nothing},
      {"it has succeeded", due_pod(p().phase(PodPhase::succeeded)), nothing},
      {"it has failed", due_pod(p().phase(PodPhase::failed)), nothing},
      {"it has failed, for the Eviction API", by_eviction_api(due_pod(p().phase(PodPhase::failed))),
       nothing},
      {"the reason has gone", due_at({}, due_pod(p())), nothing},
      {"the reason has gone between mark and delete", due_at({}, marked(due_pod(p()))), nothing},
      {"it is due later", due_at(at(1s), due_pod(p())), wait},
      {"it is due later since it was marked", due_at(at(1s), marked(due_pod(p()))), wait},
      {"it was due long ago", due_at(at(-100h), due_pod(p())), mark},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(decide_eviction(row.snapshot), row.step) << row.sentence;
  }
}

}  // namespace
}  // namespace dcm::device_taint_eviction
