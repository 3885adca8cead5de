// The writes that a dry run would have sent, and whether another manager makes them.
//
// Knows nothing of claims or pods: a controller's ShadowApi says what it would have written and how
// to tell from the caches that it is done; here is when it is looked at, and what is told about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "client/api/event_sink.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/task.hpp"
#include "runtime/time.hpp"

namespace dcm::common {

// A kind of write, in the words of RBAC: "patch", "resourceclaims/status".
struct WriteKind {
  std::string_view verb;
  std::string_view resource;

  friend auto operator<=>(const WriteKind&, const WriteKind&) = default;
};

// A write that was not sent.
struct IntendedWrite {
  WriteKind kind;
  std::string object;   // "lab/trainer-0"
  std::string subject;  // what it settles; of two for the same subject the later one counts
  std::string what;     // for people, one line: "reserve it for pod trainer-0"
};

// The state of an expectation, according to the caches.
struct Standing {
  enum class State : std::uint8_t {
    not_reached,
    reached,
    moot,  // nobody would write that any more: its pod is gone, say
  };
  State state = State::not_reached;
  std::string shown;  // what there is instead, for people
};

// Each write is logged and counted once, however often it is decided. Where the caches do not show
// its result in time, that is a disagreement: logged and counted once, and open until they do, or
// until it is moot. Time counts only while the watches work. Loop thread only.
class Expectations {
 public:
  struct Dependencies {
    runtime::TimeSource& time;
    runtime::MetricsRegistry& metrics;
    runtime::Logger log;
    // Whether the caches follow the cluster at this moment.
    std::function<bool()> is_watching;
  };
  using Look = std::function<Standing()>;

  // More than these are counted, but not waited for.
  static constexpr std::size_t kOpenMax = 20'000;

  // `controller` is the one that would write; `kinds` are all that it may write. What the
  // dependencies refer to must outlive it.
  Expectations(Dependencies dependencies, std::string controller, std::span<const WriteKind> kinds,
               runtime::Duration timeout);
  Expectations(const Expectations&) = delete;
  Expectations& operator=(const Expectations&) = delete;

  // `look` is called on the loop for as long as the write is waited for, and must not throw. What
  // it finds reached already was never worth a write.
  void expect(IntendedWrite write, Look look);
  // Tells of a write without waiting for anything. Again for the same subject: nothing.
  void note(const IntendedWrite& write);

  // Looks once a second. Ends by cancellation only.
  runtime::Task<> run();

 private:
  struct Series {
    runtime::Counter* writes;
    runtime::Counter* disagreements;
    runtime::Gauge* open;
  };
  struct Open {
    IntendedWrite write;
    Look look;
    runtime::Duration since;  // of watched_
    bool is_disagreement = false;
  };
  using Opens = std::map<std::string, Open, std::less<>>;

  const Series& series(const IntendedWrite& write) const { return series_.at(write.kind); }
  void tell(const IntendedWrite& write);
  runtime::Task<> look_at_all();
  // Returns whether there is nothing more to wait for.
  bool look_at(Open& open);
  void disagree(Open& open, const std::string& shown);
  void settle(const Open& open, Standing::State state);

  Dependencies deps_;
  runtime::Duration timeout_;
  std::map<WriteKind, Series> series_;
  runtime::Counter& unchecked_;
  Opens open_;
  std::size_t disagreements_ = 0;  // of open_
  std::set<std::string, std::less<>> noted_;
  // How long the watches have worked.
  runtime::Duration watched_{};
  runtime::Refresh refresh_;
};

// The events of a dry run: told, not written. Expects no match: the other manager words and paces
// its events differently.
class ShadowEvents final : public api::EventSink {
 public:
  static constexpr WriteKind kWrite{"create", "events"};

  // `expectations` know of kWrite, and must outlive it.
  explicit ShadowEvents(Expectations& expectations) : expectations_(expectations) {}

  void report(const api::ObjectReference& about, api::EventType /*type*/,
              std::string_view /*component*/, std::string_view reason,
              std::string_view message) override {
    std::string what = std::string(reason) + ": " + std::string(message);
    expectations_.note({.kind = kWrite,
                        .object = about.key.str(),
                        .subject = about.kind + about.uid.str() + what,
                        .what = std::move(what)});
  }

 private:
  Expectations& expectations_;
};

}  // namespace dcm::common
