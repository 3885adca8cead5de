#include "informers/sync_state.hpp"

#include <chrono>
#include <utility>

namespace dcm::informers {
namespace {

// A shorter failure than this is soon retried by every client.
constexpr runtime::Duration kMoment = std::chrono::seconds(5);

}  // namespace

SyncState::SyncState(std::string resource, runtime::TimeSource& time)
    : resource_(std::move(resource)), time_(time), synced_(time) {}

std::optional<runtime::Duration> SyncState::last_event_age() const {
  if (!last_event_) return std::nullopt;
  return time_.now() - *last_event_;
}

runtime::Task<> SyncState::wait(runtime::Deadline deadline) {
  while (!is_synced() && !deadline.has_passed(time_)) co_await synced_.wait(deadline);
}

void SyncState::note_event() {
  last_event_ = time_.now();
  has_delivered_ = true;
  tell_of_return();
}

std::optional<runtime::Duration> SyncState::failing() const {
  if (!failing_since_) return std::nullopt;
  return time_.now() - *failing_since_;
}

void SyncState::note_error(runtime::Error error) {
  last_error_ = std::move(error);
  if (!failing_since_) failing_since_ = time_.now();
}

void SyncState::note_accepted() {
  const std::optional<runtime::Duration> failed_for = failing();
  failing_since_.reset();
  if (failed_for && *failed_for >= kMoment) has_returned_ = true;
  tell_of_return();
}

void SyncState::tell_of_return() {
  if (!has_returned_ || !has_delivered_) return;
  has_returned_ = has_delivered_ = false;
  if (on_return_) on_return_();
}

void SyncState::note_synced() {
  if (!synced_at_) synced_at_ = time_.now();
  synced_.notify_all();
}

runtime::Task<> wait_for_sync(std::vector<SyncState*> states) {
  for (SyncState* state : states) co_await state->wait();
}

}  // namespace dcm::informers
