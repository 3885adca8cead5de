// Observers of a store's changes.
#pragma once

#include <cstdint>

#include "client/api/decoder.hpp"

namespace dcm::informers {

using api::ObjectPtr;

// The source of a change. A start or a relist brings backlog, which may be hours old.
enum class Origin : std::uint8_t {
  initial,  // found by the first list or a relist, including deletions
  live,     // a watch event, or a write of our own
};

// Notified of every change of a store, in order, during the change: the store already shows it. An
// observer must not change the store, and must not throw. Calls are consistent: each `before` and
// `last_known` is the object last passed for that name. A name that reappears with another UID is
// reported as deleted and added. No change is reported twice.
template <class T>
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void observe_added(const ObjectPtr<T>& object, Origin origin) = 0;
  // The object has the same UID and another resourceVersion.
  virtual void observe_updated(const ObjectPtr<T>& before, const ObjectPtr<T>& after,
                               Origin origin) = 0;
  virtual void observe_deleted(const ObjectPtr<T>& last_known, Origin origin) = 0;
  // The object still exists, but is no longer of interest (it left the projection): forget what was
  // derived from it, but do not remember its UID as deleted.
  virtual void observe_left(const ObjectPtr<T>& last_known, Origin origin) = 0;
};

}  // namespace dcm::informers
