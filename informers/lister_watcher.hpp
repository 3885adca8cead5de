// The API that a reflector needs: lists and watches one kind.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "client/api/decoder.hpp"
#include "client/request/request.hpp"
#include "runtime/deadline.hpp"
#include "runtime/task.hpp"

namespace dcm::informers {

using client::Compression;
using client::InitialEvents;
using client::ListOptions;
using client::WatchOptions;

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

// Selects objects by itself, and ignores the selection in the options.
template <class T>
class ListerWatcher {
 public:
  virtual ~ListerWatcher() = default;
  // Reads one page, item by item into `sink`.
  virtual runtime::Task<runtime::Result<api::ListMeta>> list(
      ListOptions options, std::function<void(api::Decoded<T>)> sink,
      runtime::Deadline deadline) = 0;
  // Returns when the server has accepted the watch.
  virtual runtime::Task<runtime::Result<std::unique_ptr<WatchStream<T>>>> watch(
      WatchOptions options, runtime::Deadline deadline) = 0;
};

}  // namespace dcm::informers
