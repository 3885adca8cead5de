#include "runtime/http/names.hpp"

#include "runtime/condition.hpp"

namespace dcm::http {

using runtime::fail;
using runtime::Reason;

struct Names::Name {
  explicit Name(runtime::TimeSource& time) : is_answered(time) {}

  void take(Result<Addresses> news) {
    is_under_way = false;
    ++answers;
    answer = std::move(news);
    if (answer && !answer->empty()) last = *answer;
    is_answered.notify_all();
  }

  runtime::Condition is_answered;
  bool is_under_way = false;  // a look-up
  std::uint64_t answers = 0;
  Result<Addresses> answer = Addresses();  // the latest
  Addresses last;                          // of the latest look-up that found any
};

Task<Result<Addresses>> Names::find(std::string host, std::uint16_t port, Deadline deadline) {
  std::shared_ptr<Name>& known = names_[{host, port}];
  if (known == nullptr) known = std::make_shared<Name>(time_);
  const std::shared_ptr<Name> name = known;
  const std::uint64_t before = name->answers;
  if (!std::exchange(name->is_under_way, true)) {
    look_up_(host, port, [weak = std::weak_ptr(name)](Result<Addresses> answer) {
      if (const auto waiting = weak.lock()) waiting->take(std::move(answer));
    });
  }
  const Deadline patience =
      name->last.empty() ? deadline : Deadline::after(time_, deadline.left(time_) / 2);
  while (name->answers == before && !patience.has_passed(time_)) {
    co_await name->is_answered.wait(patience);
  }
  const bool is_answered = name->answers != before;
  if (is_answered && (name->answer || name->last.empty())) co_return name->answer;
  if (!name->last.empty()) co_return name->last;
  co_return fail(Reason::deadline_exceeded, "the name was not resolved by the deadline");
}

}  // namespace dcm::http
