#include "playground/demo/demo_story.hpp"

#include <array>

#include <fmt/format.h>

#include "playground/taint/taint.hpp"

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;

constexpr std::array kFirstFiles = {"shared-claim.yaml", "two-templates.yaml",
                                    "pod-before-its-template.yaml", "sixty-four-pods.yaml"};
constexpr const char* kLateFile = "late-template.yaml";
// The pod of two-templates.yaml runs until it is deleted.
constexpr const char* kPodToDelete = "trainer-0";

// Pods that run until they are evicted.
constexpr const char* kTaintFile = "pods-and-taints.yaml";
constexpr const char* kPreviewFile = "retire-node-1-preview.yaml";
constexpr const char* kRuleFile = "retire-node-1.yaml";
constexpr const char* kRule = "retire-node-1";
constexpr const char* kPodOnBrokenDevice = "fragile-0";
constexpr std::array kImpatient = {"impatient-0", "impatient-1", "impatient-2", "impatient-3"};
constexpr std::array kPatient = {"patient-0", "patient-1"};
constexpr auto kPatience = 12s;  // their tolerationSeconds
constexpr const char* kSteadfast = "steadfast-0";
constexpr std::size_t kToLeave = 1 + kImpatient.size() + kPatient.size();

const Taint kBroken{"example.com/unhealthy", "ecc-errors", "NoExecute"};

}  // namespace

Task<Result<>> DemoStory::play() {
  Result<> done = co_await stage_.prepare();
  if (done) done = co_await clean_up();
  if (!done) co_return done;
  done = co_await stage_.show_until("the objects of an earlier demo are gone", [this] {
    const Tally& tally = stage_.ledger().tally();
    return tally.pods_pending + tally.pods_running + tally.claims == 0;
  });
  if (!done) co_return done;
  stage_.begin();
  done = co_await play_claims();
  if (done) done = co_await play_taints();
  stage_.conclude();
  const Result<> cleaned = co_await clean_up();
  co_return done ? cleaned : done;
}

Task<Result<>> DemoStory::clean_up() {
  Result<> done;
  for (const char* file : kFirstFiles) {
    if (done) done = co_await stage_.remove_all_of(file);
  }
  for (const char* file : {kLateFile, kTaintFile, kRuleFile}) {
    if (done) done = co_await stage_.remove_all_of(file);
  }
  co_return done;
}

Task<Result<>> DemoStory::play_claims() {
  Result<> done;
  for (const char* file : kFirstFiles) {
    done = co_await stage_.apply(file);
    if (!done) co_return done;
  }
  done = co_await stage_.show_until(
      "trainer-0 runs", [this] { return stage_.phase_of(kPodToDelete) == api::PodPhase::running; });
  if (!done) co_return done;
  stage_.say("trainer-0 runs until it is deleted: deleting it");
  done = co_await stage_.remove_pod(kPodToDelete);
  if (!done) co_return done;
  done = co_await stage_.show_until("some pods have ended",
                                    [this] { return stage_.ledger().tally().pods_finished >= 32; });
  if (!done) co_return done;
  stage_.say("creating the template that early-0 waits for");
  done = co_await stage_.apply(kLateFile);
  if (!done) co_return done;
  done = co_await stage_.show_until("all pods have ended and all devices are free",
                                    [this] { return stage_.is_over(); });
  co_return done;
}

Task<Result<>> DemoStory::play_taints() {
  Result<> done = co_await stage_.apply(kTaintFile);
  if (!done) co_return done;
  done = co_await stage_.show_until("the pods to be evicted run", [this] {
    return stage_.ledger().tally().pods_running == kToLeave + 1;
  });
  if (!done) co_return done;
  done = co_await play_broken_device();
  if (!done) co_return done;
  done = co_await play_retired_node();
  if (!done) co_return done;
  check_who_left();
  done = co_await check_events();
  if (!done) co_return done;
  stage_.say("steadfast-0 tolerates the taint forever: deleting the pod and the rule");
  done = co_await stage_.remove_all_of(kRuleFile);
  if (!done) co_return done;
  done = co_await stage_.remove_pod(kSteadfast);
  if (!done) co_return done;
  done =
      co_await stage_.show_until("all devices are free again", [this] { return stage_.is_over(); });
  co_return done;
}

Task<Result<>> DemoStory::play_broken_device() {
  const auto device = stage_.device_of(kPodOnBrokenDevice);
  if (!device) co_return runtime::fail(Reason::object_not_found, "fragile-0 has no device");
  stage_.say(fmt::format("the driver taints {} with {}; {} does not tolerate it", device->str(),
                         kBroken.str(), kPodOnBrokenDevice));
  const TaintChanges broken{.add = {kBroken}};
  const Result<std::string> tainted = co_await taint_device(stage_.api(), *device, broken);
  if (!tainted) co_return runtime::fail(tainted.error());
  Result<> done = co_await stage_.show_until("the pod on the tainted device has left", [this] {
    return stage_.phase_of(kPodOnBrokenDevice) == api::PodPhase::unknown;
  });
  if (!done) co_return done;
  const TaintChanges mended{.remove = {kBroken}};
  const Result<std::string> untainted = co_await taint_device(stage_.api(), *device, mended);
  if (!untainted) co_return runtime::fail(untainted.error());
  co_return Result<>();
}

Task<Result<>> DemoStory::play_retired_node() {
  const auto reason_is = [this](std::string_view reason) {
    return [this, reason] {
      const auto rule = stage_.rule(kRule);
      return rule && rule->condition && rule->condition->reason == reason;
    };
  };
  stage_.say("an admin retires the GPUs of node-1: first a preview");
  Result<> done = co_await stage_.apply(kPreviewFile);
  if (!done) co_return done;
  done = co_await stage_.show_until("the rule has a preview", reason_is("NoEffect"));
  if (!done) co_return done;
  stage_.say("then with effect NoExecute; patient-0 and patient-1 tolerate it for 12 s");
  done = co_await stage_.apply(kRuleFile);
  if (!done) co_return done;
  done =
      co_await stage_.show_until("the rule is being carried out", reason_is("PodsPendingEviction"));
  if (!done) co_return done;
  done = co_await stage_.show_until("all pods except steadfast-0 have left",
                                    [this] { return stage_.ledger().tally().pods_running == 1; });
  if (!done) co_return done;
  co_return co_await stage_.show_until("the rule's condition says Completed",
                                       reason_is("Completed"));
}

// Checks that the right pods have left in time, and no others.
void DemoStory::check_who_left() {
  const auto& evicted = stage_.evictions().all();
  const auto left = [&](const char* pod) {
    if (!evicted.contains(pod)) stage_.blame(fmt::format("{} was not evicted", pod));
  };
  left(kPodOnBrokenDevice);
  for (const char* pod : kImpatient) left(pod);
  for (const char* pod : kPatient) left(pod);
  if (evicted.size() > kToLeave) stage_.blame("pods without a matching taint were evicted");
  if (stage_.phase_of(kSteadfast) != api::PodPhase::running) {
    stage_.blame("steadfast-0 no longer runs");
  }
  const auto rule = stage_.rule(kRule);
  if (!rule || !rule->taint.time_added) return;
  for (const char* pod : kPatient) {
    const auto when = evicted.find(pod);
    if (when != evicted.end() && when->second < *rule->taint.time_added + kPatience) {
      stage_.blame(fmt::format("{} was evicted too early", pod));
    }
  }
}

// Expects one event for each pod that had to leave.
Task<Result<>> DemoStory::check_events() {
  const Result<std::size_t> events = co_await stage_.count_events("DeviceTaintManagerEviction");
  if (!events) co_return runtime::fail(events.error());
  if (*events < kToLeave) {
    stage_.blame(fmt::format("{} events for {} evicted pods", *events, kToLeave));
  }
  co_return Result<>();
}

}  // namespace dcm::playground
