// The API that a reflector needs: lists and watches one kind.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "client/api/decoder.hpp"
#include "client/request/request.hpp"
#include "runtime/deadline.hpp"
#include "runtime/task.hpp"

namespace dcm::informers {

using client::Compression;
using client::InitialEvents;

struct WatchOptions {
  // Empty together with `initial_events`: a consistent start at the newest state.
  api::ResourceVersion resource_version;
  InitialEvents initial_events = InitialEvents::none;
  // After this long the server ends the watch itself.
  runtime::Duration server_timeout = std::chrono::minutes(5);
};

// An open watch; closed when it is destroyed.
template <class T>
class WatchStream {
 public:
  virtual ~WatchStream() = default;
  virtual Compression compression() const = 0;
  // The next event; nullopt: the server has ended the watch cleanly. Errors: disconnected,
  // deadline_exceeded, malformed.
  virtual runtime::Task<runtime::Result<std::optional<api::WatchEvent<T>>>> next(
      runtime::Deadline deadline) = 0;
};

template <class T>
class ListerWatcher {
 public:
  virtual ~ListerWatcher() = default;
  // Reads one page, item by item into `sink`.
  virtual runtime::Task<runtime::Result<api::ListMeta>> list(
      client::ListPage page, std::function<void(api::Decoded<T>)> sink,
      runtime::Deadline deadline) = 0;
  // Returns when the server has accepted the watch.
  virtual runtime::Task<runtime::Result<std::unique_ptr<WatchStream<T>>>> watch(
      WatchOptions options, runtime::Deadline deadline) = 0;
};

}  // namespace dcm::informers
