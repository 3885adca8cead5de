#include "playground/cluster/evictions.hpp"

#include <gmock/gmock.h>

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr runtime::WallTime kNow{1'000s};

struct State {
  api::DisruptionTarget target = api::DisruptionTarget::by_device_taint;
  bool is_being_deleted = false;
  const char* namespace_ = "demo";
};

api::ObjectPtr<Pod> pod(State state) {
  Pod made;
  made.meta.key = {state.namespace_, "trainer"};
  made.meta.is_being_deleted = state.is_being_deleted;
  made.disruption_target = state.target;
  return api::ObjectPtr(std::move(made));
}

TEST(Evictions, report_marked_pod_at_start_of_deletion) {
  Evictions evictions("demo");
  const auto marked = pod({});
  const auto going = pod({.is_being_deleted = true});
  evictions.observe_pod(nullptr, marked, kNow);
  EXPECT_THAT(evictions.all(), IsEmpty());
  evictions.observe_pod(marked, going, kNow + 1s);
  evictions.observe_pod(going, nullptr, kNow + 2s);
  EXPECT_THAT(evictions.all(), ElementsAre(Pair("trainer", kNow + 1s)));
}

TEST(Evictions, report_deletion_seen_late) {
  Evictions evictions("demo");
  evictions.observe_pod(pod({}), nullptr, kNow);
  EXPECT_THAT(evictions.all(), ElementsAre(Pair("trainer", kNow)));
}

TEST(Evictions, ignore_other_deletions) {
  Evictions evictions("demo");
  evictions.observe_pod(pod({.target = api::DisruptionTarget::none}), nullptr, kNow);
  evictions.observe_pod(pod({.target = api::DisruptionTarget::other}), nullptr, kNow);
  evictions.observe_pod(pod({.namespace_ = "lab"}), nullptr, kNow);
  EXPECT_THAT(evictions.all(), IsEmpty());
}

}  // namespace
}  // namespace dcm::playground
