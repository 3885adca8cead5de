#include "playground/demo/demo.hpp"

#include <csignal>
#include <optional>

#include <fmt/format.h>

#include "playground/demo/demo_story.hpp"
#include "playground/part.hpp"
#include "runtime/run_all.hpp"
#include "runtime/run_then_cancel.hpp"

namespace dcm::playground {
namespace {

// The shell convention for a command ended by SIGINT.
constexpr int kInterrupted = 130;

std::string summary(const Tally& tally, std::size_t evicted) {
  return fmt::format(
      "\n{} pods: {} finished, {} evicted, {} deleted\n"
      "{} claims made for {} pod claims, {} names written, {} reservations made and {} released,\n"
      "{} allocations released, {} claims deleted\n",
      tally.pods_seen, tally.pods_finished, evicted, tally.pods_deleted - evicted,
      tally.claims_made, tally.pod_claims, tally.names_written, tally.reserved, tally.released,
      tally.deallocated, tally.claims_deleted);
}

// Prints the verdict, as the last lines of the demo. Returns the exit status.
int conclude(const DemoStage& stage, const Result<>& told) {
  std::vector<std::string> mistakes = stage.mistakes();
  if (!told) mistakes.push_back(told.error().message);
  const Tally& tally = stage.ledger().tally();
  if (tally.pods_seen > 0) fmt::print("{}", summary(tally, stage.evictions().all().size()));
  for (const std::string& mistake : mistakes) fmt::print("WRONG: {}\n", mistake);
  if (!mistakes.empty()) return 1;
  fmt::print(
      "checked: one claim per pod claim, no duplicates, no leftovers, all devices free;\n"
      "exactly the right pods were evicted, on time, each with an event\n");
  return 0;
}

}  // namespace

int run_demo(const DemoOptions& options) {
  OwnProcess own{std::string(kProgram)};
  const Process process = own.process();
  const auto cluster =
      open_cluster({.kubeconfig = options.kubeconfig, .context = options.context}, process);
  if (!cluster) return report_failure(cluster.error());
  DemoStage stage(process, cluster->rest(), options);
  DemoStory story(stage);
  std::optional<Result<>> told;
  bool is_interrupted = false;
  runtime::TaskGroup group(process.loop.executor());
  own.loop.on_signals({SIGINT, SIGTERM}, [&](int) {
    is_interrupted = true;
    group.cancel();
  });
  group.spawn("view", stage.run());
  group.spawn("demo", runtime::run_then_cancel(runtime::keep_in(told, story.play()), group));
  own.loop.run(group.join());
  if (!is_interrupted) return conclude(stage, *told);
  fmt::print("\nstopped\n");
  return kInterrupted;
}

}  // namespace dcm::playground
