#include "node/claims/shared_writes.hpp"

#include <optional>
#include <utility>

#include "runtime/condition.hpp"

namespace dcm::node {

using runtime::Result;
using runtime::Task;

struct SharedWrites::Round {
  explicit Round(runtime::TimeSource& time) : done(time) {}

  std::optional<Result<>> outcome;
  runtime::Condition done;
};

namespace {

// The leader of a round may be cancelled, or throw: the others must not wait forever.
template <class Round>
class Leader {
 public:
  Leader(std::shared_ptr<Round> round, std::shared_ptr<Round>& gathering)
      : round_(std::move(round)), gathering_(gathering) {}
  ~Leader() {
    if (gathering_ == round_) gathering_.reset();
    if (!round_->outcome) {
      round_->outcome = runtime::fail(runtime::Reason::shutting_down, "the write was given up");
    }
    round_->done.notify_all();
  }
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;

 private:
  std::shared_ptr<Round> round_;
  std::shared_ptr<Round>& gathering_;
};

}  // namespace

SharedWrites::SharedWrites(runtime::TimeSource& time, std::function<Result<>()> write)
    : time_(time), write_(std::move(write)) {}

Task<Result<>> SharedWrites::write() {
  if (const std::shared_ptr<Round> round = gathering_) {
    while (!round->outcome) co_await round->done.wait();
    co_return *round->outcome;
  }
  const auto round = gathering_ = std::make_shared<Round>(time_);
  const Leader leader(round, gathering_);
  co_await runtime::sleep_for(time_, kGather);
  gathering_.reset();
  round->outcome = write_();
  co_return *round->outcome;
}

}  // namespace dcm::node
