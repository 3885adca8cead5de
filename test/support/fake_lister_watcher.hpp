// A ListerWatcher that follows a script: each request gets the next answer, and is recorded with
// the virtual time at which it came.
//
//   fake.stream({added(a), end_of_initial_events("5")}, Then::hang);
//   fake.refuse(Error{Reason::gone, "too old"});
//   …
//   fake.requests() == {"0 watch list", "0.8 watch from 5"}
//
// Once the script has ended, a request waits until its deadline. Every answer takes a turn of the
// loop; so does every event, unless they come buffered.
#pragma once

#include <deque>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "informers/lister_watcher.hpp"
#include "runtime/condition.hpp"

namespace dcm::testing {

template <class T>
class FakeListerWatcher final : public informers::ListerWatcher<T> {
 public:
  using Event = api::WatchEvent<T>;
  // How a stream continues after its events.
  enum class Then { hang, end, reset };
  // Buffered events have arrived already: reading them does not suspend.
  enum class Pace { a_turn_each, buffered };

  explicit FakeListerWatcher(runtime::TimeSource& time) : time_(time) {}

  // Answers, each for one request.
  void stream(std::vector<Event> events, Then then, Pace pace = Pace::a_turn_each) {
    answers_.push_back(Script{{events.begin(), events.end()}, then, pace});
  }
  void page(std::vector<api::Decoded<T>> items, api::ListMeta meta) {
    answers_.push_back(Page{std::move(items), std::move(meta)});
  }
  void refuse(runtime::Error error) { answers_.push_back(std::move(error)); }
  void time_out() { answers_.push_back(Silence{}); }

  // "<seconds> <request>"
  const std::vector<std::string>& requests() const { return requests_; }
  bool is_done() const { return answers_.empty(); }
  int open_streams() const { return *open_streams_; }

  runtime::Task<runtime::Result<api::ListMeta>> list(informers::ListOptions wanted,
                                                     std::function<void(api::Decoded<T>)> sink,
                                                     runtime::Deadline deadline) override {
    note(wanted.continue_token.empty() ? "list" : "list continue " + wanted.continue_token);
    const Answer answer = co_await next_answer(deadline);
    if (const auto* error = std::get_if<runtime::Error>(&answer)) co_return runtime::fail(*error);
    const auto& page = std::get<Page>(answer);
    for (const auto& item : page.items) sink(item);
    co_return page.meta;
  }

  runtime::Task<runtime::Result<std::unique_ptr<informers::WatchStream<T>>>> watch(
      informers::WatchOptions options, runtime::Deadline deadline) override {
    note(options.initial_events == informers::InitialEvents::send
             ? "watch list" + options.resource_version.str()
             : "watch from " + options.resource_version.str());
    const Answer answer = co_await next_answer(deadline);
    if (const auto* error = std::get_if<runtime::Error>(&answer)) co_return runtime::fail(*error);
    co_return std::make_unique<Stream>(time_, std::get<Script>(answer), open_streams_);
  }

 private:
  struct Script {
    std::deque<Event> events;
    Then then;
    Pace pace;
  };
  struct Page {
    std::vector<api::Decoded<T>> items;
    api::ListMeta meta;
  };
  struct Silence {};
  using Answer = std::variant<Script, Page, runtime::Error, Silence>;

  class Stream final : public informers::WatchStream<T> {
   public:
    Stream(runtime::TimeSource& time, Script script, std::shared_ptr<int> open)
        : nothing_comes_(time), script_(std::move(script)), open_(std::move(open)) {
      ++*open_;
    }
    ~Stream() override { --*open_; }

    informers::Compression compression() const override { return informers::Compression::none; }

    runtime::Task<runtime::Result<std::optional<Event>>> next(runtime::Deadline deadline) override {
      if (script_.pace == Pace::a_turn_each) co_await runtime::yield();
      if (!script_.events.empty()) {
        Event event = std::move(script_.events.front());
        script_.events.pop_front();
        co_return std::optional(std::move(event));
      }
      if (script_.then == Then::end) co_return std::optional<Event>();
      if (script_.then == Then::reset) {
        co_return runtime::fail(runtime::Reason::disconnected, "reset by the script");
      }
      co_await nothing_comes_.wait(deadline);
      co_return runtime::fail(runtime::Reason::deadline_exceeded, "no event");
    }

   private:
    runtime::Condition nothing_comes_;
    Script script_;
    std::shared_ptr<int> open_;
  };

  void note(const std::string& request) {
    std::ostringstream line;
    line << std::chrono::duration<double>(time_.now().time_since_epoch()).count() << " " << request;
    requests_.push_back(line.str());
  }

  runtime::Task<Answer> next_answer(runtime::Deadline deadline) {
    co_await runtime::yield();
    Answer answer = Silence{};
    if (!answers_.empty()) {
      answer = std::move(answers_.front());
      answers_.pop_front();
    }
    if (std::holds_alternative<Silence>(answer)) {
      runtime::Condition nothing_comes(time_);
      co_await nothing_comes.wait(deadline);
      answer = runtime::Error{runtime::Reason::deadline_exceeded, "no answer"};
    }
    co_return answer;
  }

  runtime::TimeSource& time_;
  std::deque<Answer> answers_;
  std::vector<std::string> requests_;
  std::shared_ptr<int> open_streams_ = std::make_shared<int>(0);
};

}  // namespace dcm::testing
