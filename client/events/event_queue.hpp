// Decides what a reported event becomes: a new object, a repetition of one, or nothing. No I/O.
//
// Reports with the same object, type, component, reason and message (apart from names quoted in it)
// share one Event, whose `count` grows and whose message is the latest. A repetition of a waiting
// event costs no extra write. Per object and reason 25 reports pass at once and then one in 5
// minutes, as in client-go (whose limit is per object, and which also merges events that differ in
// their message; we keep other messages apart).
//
// Normal events report something done, once, such as an eviction. Warnings report failures, and
// repeat while the cause lasts. So each type has its own bounded queue, and three of four writes go
// to normal events. Each queue serves namespaces in turn; when it is full, an event of the
// namespace with the most waiting ones is dropped to make room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "client/api/event.hpp"
#include "client/events/fair_line.hpp"
#include "runtime/lru_map.hpp"
#include "runtime/rng.hpp"
#include "runtime/time.hpp"
#include "runtime/token_bucket.hpp"

namespace dcm::client {

struct EventLimits {
  std::size_t normal_waiting_max = 10'000;
  std::size_t warnings_waiting_max = 1'000;
  // How many events of one namespace and queue are written concurrently.
  std::size_t writes_per_namespace = 4;
  // Limit of remembered events that do not wait, and of (object, reason) pairs; the least recently
  // used are forgotten.
  std::size_t remembered_max = 4096;
  double burst = 25;
  runtime::Duration refill = std::chrono::minutes(5);
};

// Bounded in every respect. Invariant: an entry is forgotten only while it does not wait.
class EventQueue {
 public:
  enum class Verdict : std::uint8_t {
    waiting,
    displaced_another,  // it waits; an event of another namespace was dropped for it
    merged,
    over_rate,
    full,
  };

  struct Write {
    enum class Kind : std::uint8_t { create, repeat } kind;
    std::string id;  // for finish()
    api::Event event;
  };
  enum class Answer : std::uint8_t {
    written,
    vanished,  // a repetition found no object (events expire): it is created again
    given_up,
  };

  EventQueue(EventLimits limits, runtime::Rng rng);

  // `event` without name, namespace, count and times.
  Verdict report(api::Event event, runtime::MonoTime now, runtime::WallTime wall);

  // The next write; the caller reports the answer. nullopt: none waits, or the waiting ones need
  // others to end first.
  std::optional<Write> next();
  void finish(const std::string& id, Answer answer);

  std::size_t waiting() const noexcept { return normal_.size() + warnings_.size(); }
  std::size_t remembered() const noexcept { return entries_.size(); }

 private:
  struct Entry {
    api::Event event;
    enum class State : std::uint8_t { idle, waiting, being_written } state = State::idle;
    bool exists = false;  // on the server, as far as we know
    bool was_repeated_meanwhile = false;
  };

  bool passes_rate(const api::Event& event, runtime::MonoTime now);
  FairLine& line_of(const api::Event& event) {
    return event.type == api::EventType::normal ? normal_ : warnings_;
  }
  // Whether the event's queue has room for one more, if necessary by dropping another.
  enum class Room : std::uint8_t { free, taken_from_another, none };
  Room make_room(const api::Event& event);
  void wait(const std::string& id, Entry& entry);
  std::optional<std::string> next_id();
  api::NamespacedName make_key(const api::ObjectReference& about, runtime::WallTime wall);

  EventLimits limits_;
  runtime::Rng rng_;
  runtime::LruMap<Entry> entries_;
  runtime::LruMap<runtime::TokenBucket> rates_;
  FairLine normal_;
  FairLine warnings_;
  int normal_in_a_row_ = 0;
  std::size_t in_hand_ = 0;
  // Names contain the time, which must never repeat.
  std::uint64_t last_name_time_ = 0;
};

}  // namespace dcm::client
