#include "client/events/event_queue.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "runtime/assert.hpp"
#include "runtime/dns_names.hpp"
#include "runtime/one_line.hpp"
#include "runtime/uuid.hpp"

namespace dcm::client {
namespace {

using runtime::Duration;
using runtime::MonoTime;
using runtime::WallTime;

// The limit of `events.k8s.io` for a note; keeps a webhook's HTML page out of our memory.
constexpr std::size_t kMessageBytesMax = 1024;

// Parts may contain any byte but NUL.
std::string join(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) {
    key += part;
    key += '\0';
  }
  return key;
}

std::string identity(const api::ObjectReference& about) {
  return join({about.api_version, about.kind, about.key.str(), about.uid.str()});
}

// A server quotes the names that it mentions, and some differ between attempts.
std::string without_quoted(std::string_view message) {
  std::string rest;
  bool is_quoted = false;
  for (const char c : message) {
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted) rest += c;
  }
  return rest;
}

std::string id_of(const api::Event& event) {
  const std::string_view type = event.type == api::EventType::normal ? "N" : "W";
  return join({identity(event.involved_object), type, event.component, event.reason,
               without_quoted(event.message)});
}

}  // namespace

EventQueue::EventQueue(EventLimits limits, runtime::Rng rng)
    : limits_(limits),
      rng_(rng),
      normal_(limits.writes_per_namespace),
      warnings_(limits.writes_per_namespace) {}

EventQueue::Verdict EventQueue::report(api::Event event, MonoTime now, WallTime wall) {
  event.message.resize(runtime::cut_utf8(event.message, kMessageBytesMax).size());
  if (!passes_rate(event, now)) return Verdict::over_rate;
  const std::string id = id_of(event);
  Entry* known = entries_.use(id);
  const bool is_merged = known != nullptr && known->state != Entry::State::idle;
  event.key = known == nullptr ? make_key(event.involved_object, wall) : known->event.key;
  const Room room = is_merged ? Room::free : make_room(event);
  if (room == Room::none) return Verdict::full;
  if (known == nullptr) {
    event.count = 0;
    event.first_time = wall;
    known = &entries_.insert(id, Entry{.event = event});
  }
  known->event.count += 1;
  known->event.last_time = wall;
  known->event.message = std::move(event.message);
  known->event.involved_object = std::move(event.involved_object);
  if (known->state == Entry::State::being_written) known->was_repeated_meanwhile = true;
  if (is_merged) return Verdict::merged;
  wait(id, *known);
  return room == Room::free ? Verdict::waiting : Verdict::displaced_another;
}

EventQueue::Room EventQueue::make_room(const api::Event& event) {
  if (entries_.size() - waiting() - in_hand_ >= limits_.remembered_max) {
    entries_.erase_oldest([](const Entry& entry) { return entry.state == Entry::State::idle; });
  }
  FairLine& line = line_of(event);
  const std::size_t max = event.type == api::EventType::normal ? limits_.normal_waiting_max
                                                               : limits_.warnings_waiting_max;
  if (line.size() < max) return Room::free;
  const std::optional<std::string> id = line.displace_for(event.key.namespace_.str());
  if (!id) return Room::none;
  Entry* const displaced = entries_.use(*id);
  DCM_ASSERT(displaced != nullptr);
  displaced->state = Entry::State::idle;
  if (!displaced->exists) entries_.erase(*id);
  return Room::taken_from_another;
}

std::optional<std::string> EventQueue::next_id() {
  constexpr int kNormalInARow = 3;
  const bool warnings_first = normal_in_a_row_ >= kNormalInARow;
  FairLine& before = warnings_first ? warnings_ : normal_;
  FairLine& after = warnings_first ? normal_ : warnings_;
  std::optional<std::string> id = before.pop();
  const bool is_normal = id.has_value() != warnings_first;
  if (!id) id = after.pop();
  normal_in_a_row_ = is_normal ? normal_in_a_row_ + 1 : 0;
  return id;
}

std::optional<EventQueue::Write> EventQueue::next() {
  std::optional<std::string> id = next_id();
  if (!id) return std::nullopt;
  Entry* const entry = entries_.use(*id);
  DCM_ASSERT(entry != nullptr);
  entry->state = Entry::State::being_written;
  ++in_hand_;
  const auto kind = entry->exists ? Write::Kind::repeat : Write::Kind::create;
  return Write{kind, *std::move(id), entry->event};
}

void EventQueue::finish(const std::string& id, Answer answer) {
  Entry* const entry = entries_.use(id);
  DCM_ASSERT(entry != nullptr && entry->state == Entry::State::being_written);
  const bool was_repeated = std::exchange(entry->was_repeated_meanwhile, false);
  entry->state = Entry::State::idle;
  --in_hand_;
  line_of(entry->event).done(entry->event.key.namespace_.str());
  switch (answer) {
    case Answer::written:
      entry->exists = true;
      if (was_repeated) wait(id, *entry);
      return;
    case Answer::vanished:
      entry->exists = false;
      wait(id, *entry);
      return;
    case Answer::given_up:
      if (!entry->exists) entries_.erase(id);
      return;
  }
}

bool EventQueue::passes_rate(const api::Event& event, MonoTime now) {
  const std::string key = join({identity(event.involved_object), event.reason});
  runtime::TokenBucket* bucket = rates_.use(key);
  if (bucket == nullptr) {
    if (rates_.size() >= limits_.remembered_max) {
      rates_.erase_oldest();
    }
    const double rate = 1 / runtime::in_seconds(limits_.refill);
    bucket = &rates_.insert(key, runtime::TokenBucket(rate, limits_.burst, now));
  }
  if (!bucket->has_token(now)) return false;
  bucket->take();
  return true;
}

void EventQueue::wait(const std::string& id, Entry& entry) {
  entry.state = Entry::State::waiting;
  line_of(entry.event)
      .push(entry.event.key.namespace_.str(), id,
            entry.exists ? FairLine::Rank::again : FairLine::Rank::first);
}

// An event is in its object's namespace, or in `default` if the object has none.
api::NamespacedName EventQueue::make_key(const api::ObjectReference& about, WallTime wall) {
  const auto nanoseconds = static_cast<std::uint64_t>(wall.time_since_epoch().count());
  last_name_time_ = std::max(last_name_time_ + 1, nanoseconds);
  std::string name = fmt::format("{}.{:x}", about.key.name, last_name_time_);
  if (!runtime::can_be_name(name)) name = runtime::make_uuid(rng_);
  return {about.key.namespace_.empty() ? "default" : about.key.namespace_, std::move(name)};
}

}  // namespace dcm::client
