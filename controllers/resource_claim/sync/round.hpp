// One round for one item: decide a step, carry it out, and decide again with its result, until a
// step ends the round.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "runtime/task.hpp"
#include "workqueue/outcome.hpp"
#include "workqueue/priority.hpp"

namespace dcm::resource_claim {

// The effect of a step on the round: nullopt to continue, or the outcome that ends it.
using RoundEnd = std::optional<workqueue::Outcome>;

// `Sync` has, for its kind of snapshot: `refresh(snapshot)`, false if the object is gone;
// `decide(snapshot)`, the next step, a variant; and a `carry_out(snapshot, step, priority)` for
// each alternative, which adds the answer to the snapshot. `sync` must outlive the task.
template <class Sync, class Snapshot>
runtime::Task<workqueue::Outcome> run_round(Sync& sync, Snapshot snapshot,
                                            workqueue::Priority priority) {
  while (sync.refresh(snapshot)) {
    const auto step = sync.decide(snapshot);
    auto carried_out = std::visit(
        [&](const auto& what) { return sync.carry_out(snapshot, what, priority); }, step);
    const RoundEnd end = co_await std::move(carried_out);
    if (end) co_return *end;
  }
  co_return workqueue::Outcome::done();
}

}  // namespace dcm::resource_claim
