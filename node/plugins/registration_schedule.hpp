// Which registration sockets are to be registered or unregistered, and when: the state machine of
// kubelet's plugin manager. Pure: is told what the watcher sees, and the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/time.hpp"

namespace dcm::node {

inline constexpr runtime::Duration kRegistrationBackoff = std::chrono::milliseconds(500);
inline constexpr runtime::Duration kRegistrationBackoffMax = std::chrono::seconds(122);

// How an operation on a socket ended.
enum class SocketOutcome : std::uint8_t {
  done,
  failed,   // tried again, later each time
  refused,  // not ours: not tried again until the socket is another one
};

class RegistrationSchedule {
 public:
  struct Work {
    std::string path;
    std::uint64_t number;  // of the wish that it is for

    friend bool operator==(const Work&, const Work&) = default;
  };
  struct Step {
    std::vector<Work> to_unregister;
    std::vector<Work> to_register;
    std::optional<runtime::MonoTime> next = {};  // when there is more to do, if nothing happens

    friend bool operator==(const Step&, const Step&) = default;
  };

  // A socket that is made once more is another one, though its path is the same.
  void observe_created(const std::string& path);
  void observe_removed(const std::string& path);

  // The operations that are due. Each counts as begun; no other begins for its path meanwhile.
  Step begin_due(runtime::MonoTime now);
  void finish_register(const Work& work, SocketOutcome outcome, runtime::MonoTime now);
  // Unregistering does not fail.
  void finish_unregister(const Work& work);

 private:
  struct Socket {
    std::optional<std::uint64_t> wish;        // its number; nothing: no file
    std::optional<std::uint64_t> registered;  // for which wish
    std::optional<std::uint64_t> refused;
    bool is_busy = false;
    std::uint64_t failed = 0;  // the wish that the back-off is for
    runtime::Duration backoff{};
    runtime::MonoTime not_before{};
  };

  static bool wants_register(const Socket& socket);

  std::map<std::string, Socket> sockets_;
  std::uint64_t last_number_ = 0;
};

}  // namespace dcm::node
