// Decides about a reported event: a new object, a repetition of one, or nothing. No I/O.
//
// Same object, type, component, reason and message, whatever names the message quotes: one Event,
// whose `count` grows and whose message is the last one; what is repeated while it waits costs no
// write of its own. Per object and reason 25 reports pass at once
// and then one in 5 minutes, as in client-go (whose limit is per object, and which also merges
// events that differ in their message; we keep other messages apart).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "client/api/event.hpp"
#include "client/events/lru_map.hpp"
#include "client/request/token_bucket.hpp"
#include "runtime/rng.hpp"
#include "runtime/time.hpp"

namespace dcm::client {

struct EventLimits {
  std::size_t waiting_max = 1000;
  // Events and (object, reason) pairs that are remembered; those used longest ago are forgotten.
  std::size_t remembered_max = 4096;
  double burst = 25;
  runtime::Duration refill = std::chrono::minutes(5);
};

// Bounded in every direction. Invariant: an entry is forgotten only while it does not wait.
class EventQueue {
 public:
  enum class Verdict : std::uint8_t { waiting, merged, over_rate, full };

  struct Write {
    enum class Kind : std::uint8_t { create, repeat } kind;
    std::string id;  // for finish()
    api::Event event;
  };
  enum class Outcome : std::uint8_t {
    written,
    vanished,  // a repetition found no object (events expire): it is created again
    given_up,
  };

  // Requires that waiting_max is less than remembered_max.
  EventQueue(EventLimits limits, runtime::Rng rng);

  // `event` without name, namespace, count and times.
  Verdict report(api::Event event, runtime::MonoTime now, runtime::WallTime wall);

  // The next write; the caller reports its outcome before it asks again.
  std::optional<Write> next();
  void finish(const std::string& id, Outcome outcome);

  std::size_t waiting() const noexcept { return waiting_.size(); }
  std::size_t remembered() const noexcept { return entries_.size(); }

 private:
  struct Entry {
    api::Event event;
    enum class State : std::uint8_t { idle, waiting, being_written } state = State::idle;
    bool exists = false;  // on the server, as far as we know
    bool was_repeated_meanwhile = false;
  };

  bool passes_rate(const api::Event& event, runtime::MonoTime now);
  void wait(const std::string& id, Entry& entry);
  api::NamespacedName make_key(const api::ObjectReference& about, runtime::WallTime wall);

  EventLimits limits_;
  runtime::Rng rng_;
  LruMap<Entry> entries_;
  LruMap<TokenBucket> rates_;
  std::deque<std::string> waiting_;
  // Names hold the time: it must never be the same twice.
  std::uint64_t last_name_time_ = 0;
};

}  // namespace dcm::client
