// Which registration sockets are to be registered or unregistered, and when: the state machine of
// kubelet's plugin manager. Pure: takes what the watcher sees, and the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/backoff.hpp"

namespace dcm::node {

inline constexpr runtime::Backoff kRegistrationBackoff{std::chrono::milliseconds(500),
                                                       std::chrono::seconds(122)};

// The result of an operation on a socket.
enum class SocketOutcome : std::uint8_t {
  done,
  failed,   // retried with growing delay
  refused,  // not ours: not retried until the socket is replaced
};

class RegistrationSchedule {
 public:
  struct Work {
    std::string path;
    std::uint64_t number;  // number of the desired state that it serves

    friend bool operator==(const Work&, const Work&) = default;
  };
  struct Step {
    std::vector<Work> to_unregister;
    std::vector<Work> to_register;
    std::optional<runtime::MonoTime> next = {};  // when there is more to do, if nothing happens

    friend bool operator==(const Step&, const Step&) = default;
  };

  // A recreated socket is a new one, though its path is the same.
  void observe_created(const std::string& path);
  void observe_removed(const std::string& path);

  // The operations that are due. Each counts as begun; no other begins for its path meanwhile.
  Step begin_due(runtime::MonoTime now);
  void finish_register(const Work& work, SocketOutcome outcome, runtime::MonoTime now);
  // Unregistering does not fail.
  void finish_unregister(const Work& work);

 private:
  struct Socket {
    std::optional<std::uint64_t> wish;        // its number; nullopt: no file
    std::optional<std::uint64_t> registered;  // number of the registered state
    std::optional<std::uint64_t> refused;
    bool is_busy = false;
    std::uint64_t failed = 0;  // the desired state that the back-off belongs to
    runtime::Duration backoff{};
    runtime::MonoTime not_before{};
  };

  static bool wants_register(const Socket& socket);

  std::map<std::string, Socket> sockets_;
  std::uint64_t last_number_ = 0;
};

}  // namespace dcm::node
