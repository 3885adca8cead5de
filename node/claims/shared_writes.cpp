#include "node/claims/shared_writes.hpp"

#include <optional>
#include <utility>

#include "runtime/condition.hpp"

namespace dcm::node {

using runtime::Result;
using runtime::Task;

struct SharedWrites::Round {
  explicit Round(runtime::TimeSource& time) : done(time) {}

  bool is_over = false;
  std::optional<Result<>> outcome;  // nullopt: its leader was cancelled, or threw
  runtime::Condition done;
};

namespace {

// Ends the round however its leader ends.
template <class Round>
class Leader {
 public:
  Leader(std::shared_ptr<Round> round, std::shared_ptr<Round>& gathering)
      : round_(std::move(round)), gathering_(gathering) {}
  ~Leader() {
    if (gathering_ == round_) gathering_.reset();
    round_->is_over = true;
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
  while (const std::shared_ptr<Round> round = gathering_) {
    while (!round->is_over) co_await round->done.wait();
    if (round->outcome) co_return *round->outcome;
  }
  const auto round = gathering_ = std::make_shared<Round>(time_);
  const Leader leader(round, gathering_);
  co_await runtime::sleep_for(time_, kGather);
  gathering_.reset();
  round->outcome = write_();
  co_return *round->outcome;
}

}  // namespace dcm::node
