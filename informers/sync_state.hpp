// The public state of a reflector: is its store complete, is it fresh, what is wrong? For /readyz,
// liveness, metrics, and tasks that wait for the first sync.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/condition.hpp"
#include "runtime/deadline.hpp"
#include "runtime/error.hpp"
#include "runtime/task.hpp"

namespace dcm::informers {

// Written by the reflector, read by everyone else. Once synced, always synced: a store whose watch
// is broken is stale, not empty.
class SyncState {
 public:
  // `resource` is the plural name, as in metrics: "pods".
  SyncState(std::string resource, runtime::TimeSource& time);

  const std::string& resource() const noexcept { return resource_; }
  // Synced: every observer has seen the initial state.
  bool is_synced() const noexcept { return synced_at_.has_value(); }
  std::optional<runtime::MonoTime> synced_at() const noexcept { return synced_at_; }
  // nullopt while all is well.
  const std::optional<runtime::Error>& last_error() const noexcept { return last_error_; }
  // Time since the last event, bookmark or page; nullopt before the first.
  std::optional<runtime::Duration> last_event_age() const;
  // How long lists and watches have been failing; nullopt if all is well.
  std::optional<runtime::Duration> failing() const;
  // Called when a list or watch is accepted after failing for more than a moment: the reason may
  // have blocked other work as well. A server may accept watches only to end them: the next call
  // comes only after an event or page.
  void on_return(std::function<void()> notify) { on_return_ = std::move(notify); }

  // Waits until the store is synced, or until the deadline.
  runtime::Task<> wait(runtime::Deadline deadline = {});

  void note_event();
  void note_error(runtime::Error error);
  void note_recovery() { last_error_.reset(); }
  void note_synced();
  void note_accepted();

 private:
  void tell_of_return();

  std::string resource_;
  runtime::TimeSource& time_;
  std::optional<runtime::MonoTime> synced_at_;
  std::optional<runtime::MonoTime> last_event_;
  std::optional<runtime::MonoTime> failing_since_;
  std::function<void()> on_return_;
  bool has_returned_ = false;   // and on_return_ was not called yet
  bool has_delivered_ = false;  // an event or page, since on_return_ was called
  std::optional<runtime::Error> last_error_;
  runtime::Condition synced_;
};

// Waits until all of these are synced.
runtime::Task<> wait_for_sync(std::vector<SyncState*> states);

}  // namespace dcm::informers
