// The writes that a dry run would have sent, and whether another manager makes them.
//
// Independent of claims and pods: a controller's ShadowApi states what it would have written and
// how the caches show that it is done; this file decides when to check, and what to report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "client/api/event_sink.hpp"
#include "runtime/error.hpp"
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

// A write that was suppressed.
struct IntendedWrite {
  WriteKind kind;
  std::string object;   // "lab/trainer-0"
  std::string subject;  // what it sets; a later write of the same subject replaces an earlier one
  std::string what;     // for people, one line: "reserve it for pod trainer-0"
};

// The state of an expectation, according to the caches.
struct Standing {
  enum class State : std::uint8_t {
    not_reached,
    reached,
    moot,  // no longer needed: its pod is gone, for example
  };
  State state = State::not_reached;
  // The current state instead, for people. Called at most once for each write: the state itself is
  // looked at every second, this only for a message.
  std::function<std::string()> shown;
};

// A constant description.
Standing not_reached(const char* shown);

// The error of a suppressed write. By default the object seems to be gone, so that nobody repeats
// the write.
std::unexpected<runtime::Error> not_written(
    runtime::Reason reason = runtime::Reason::object_not_found);

// Each write is logged and counted once, however often it is decided. If the caches do not show its
// result in time, that is a disagreement: logged and counted once, and open until they do, or until
// it is moot. Time counts only while the watches work. Loop thread only.
class Expectations {
 public:
  struct Dependencies {
    runtime::TimeSource& time;
    runtime::MetricsRegistry& metrics;
    runtime::Logger log;
    // Whether the caches are up to date now.
    std::function<bool()> is_watching;
  };
  using Look = std::function<Standing()>;

  // Writes beyond this number are counted, but not checked.
  static constexpr std::size_t kOpenMax = 20'000;

  // `controller` is the one that would write; `kinds` are all kinds of its writes. The references
  // of the dependencies must outlive it.
  Expectations(Dependencies dependencies, std::string controller, std::span<const WriteKind> kinds,
               runtime::Duration timeout);
  Expectations(const Expectations&) = delete;
  Expectations& operator=(const Expectations&) = delete;

  // `look` is called on the loop until the write is settled, and must not throw. If the result
  // already exists at the first look, the write is not recorded.
  void expect(IntendedWrite write, Look look);
  // Reports a write without checking for its result. Does nothing if repeated for the same subject.
  void note(const IntendedWrite& write);

  // Checks once a second. Ends only by cancellation.
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
    runtime::Duration since;  // in watched_
    bool is_disagreement = false;
  };
  using Opens = std::map<std::string, Open, std::less<>>;

  const Series& series(const IntendedWrite& write) const { return series_.at(write.kind); }
  void tell(const IntendedWrite& write);
  runtime::Task<> look_at_all();
  // Returns whether it is settled.
  bool look_at(Open& open);
  void disagree(Open& open, const std::string& shown);
  void settle(const Open& open, Standing::State state);

  Dependencies deps_;
  runtime::Duration timeout_;
  std::map<WriteKind, Series> series_;
  runtime::Counter& unchecked_;
  Opens open_;
  std::size_t disagreements_ = 0;  // in open_
  std::set<std::string, std::less<>> noted_;
  // How long the watches have worked.
  runtime::Duration watched_{};
  runtime::Refresh refresh_;
};

// The events of a dry run: reported, not written. No match is expected: another manager words and
// paces its events differently.
class ShadowEvents final : public api::EventSink {
 public:
  static constexpr WriteKind kWrite{"create", "events"};

  // `expectations` include kWrite, and must outlive it.
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
