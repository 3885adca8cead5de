#include "node/plugins/registration_schedule.hpp"

#include <algorithm>

namespace dcm::node {

void RegistrationSchedule::observe_created(const std::string& path) {
  sockets_[path].wish = ++last_number_;
}

void RegistrationSchedule::observe_removed(const std::string& path) {
  const auto found = sockets_.find(path);
  if (found == sockets_.end()) return;
  found->second.wish.reset();
  if (!found->second.registered && !found->second.is_busy) sockets_.erase(found);
}

bool RegistrationSchedule::wants_register(const Socket& socket) {
  return socket.wish && !socket.registered && socket.refused != socket.wish;
}

RegistrationSchedule::Step RegistrationSchedule::begin_due(runtime::MonoTime now) {
  Step step;
  for (auto& [path, socket] : sockets_) {
    if (socket.is_busy) continue;
    if (socket.registered && socket.registered != socket.wish) {
      step.to_unregister.push_back({path, *socket.registered});
      socket.is_busy = true;
    } else if (wants_register(socket)) {
      // A new socket does not wait out the back-off of its predecessor.
      if (socket.failed == *socket.wish && now < socket.not_before) {
        step.next = std::min(step.next.value_or(socket.not_before), socket.not_before);
        continue;
      }
      step.to_register.push_back({path, *socket.wish});
      socket.is_busy = true;
    }
  }
  return step;
}

void RegistrationSchedule::finish_register(const Work& work, SocketOutcome outcome,
                                           runtime::MonoTime now) {
  Socket& socket = sockets_.at(work.path);
  socket.is_busy = false;
  if (outcome == SocketOutcome::done) {
    socket.registered = work.number;
    socket.failed = 0;
    return;
  }
  if (outcome == SocketOutcome::refused) socket.refused = work.number;
  const bool has_failed_before = socket.failed == work.number;
  socket.backoff =
      kRegistrationBackoff.after(has_failed_before ? socket.backoff : runtime::Duration::zero());
  socket.failed = work.number;
  socket.not_before = now + socket.backoff;
  if (!socket.wish) sockets_.erase(work.path);
}

void RegistrationSchedule::finish_unregister(const Work& work) {
  Socket& socket = sockets_.at(work.path);
  socket.is_busy = false;
  socket.registered.reset();
  if (!socket.wish) sockets_.erase(work.path);
}

}  // namespace dcm::node
