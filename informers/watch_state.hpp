// The protocol of one reflector as a state machine without I/O: watch list (KEP-3157) or paged
// list, then a watch that is resumed as long as the server's history allows.
//
//   advance(state, event, now, policy) -> { next state, effects, request }
//
// The reflector executes the effects in order, then the request, whose outcome is the next event.
// Every rule about fallback, expiry, back-off and deadlines is here; reflector.hpp has none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "client/api/decoder.hpp"
#include "client/request/paging.hpp"
#include "informers/lister_watcher.hpp"
#include "runtime/deadline.hpp"
#include "runtime/error.hpp"

namespace dcm::informers {

using runtime::Deadline;
using runtime::Duration;
using runtime::MonoTime;

// Limits of a cache, against malicious servers and clusters beyond any that Kubernetes is tested
// with. Excess objects are rejected, and the cache is not synced.
struct CacheLimits {
  std::size_t objects = 1'000'000;
  std::size_t bytes = std::size_t{4} << 30;
};

struct WatchPolicy {
  CacheLimits cache;
  // The wait after a failure doubles from `backoff_min` to `backoff_max`, plus up to as much again
  // (jitter). It starts over after `backoff_reset` without a failure.
  Duration backoff_min = std::chrono::milliseconds(800);
  Duration backoff_max = std::chrono::seconds(30);
  Duration backoff_reset = std::chrono::minutes(2);
  // A list is restarted when one of its pages has failed more often than this in a row.
  unsigned page_failures_max = 8;
  // The maximum wait while there is no answer at all: attempts burden no server, and a recovered
  // server must be noticed within seconds. (Jitter is added here, too.)
  Duration unanswered_max = std::chrono::seconds(4);
  // The same, without jitter, if an operator must help (no permission, no credentials, no such
  // resource): a starting API server refuses all clients until it has read its roles.
  Duration denied_max = std::chrono::seconds(30);

  Duration request_timeout = std::chrono::seconds(60);  // for a page, or for accepting a watch
  // Initial events: the longest pause between two, and the longest total time.
  Duration initial_events_pause = std::chrono::seconds(30);
  Duration initial_events_total = std::chrono::minutes(2);
  // A stalled watch list may be due to a server that does not support it, or to the network: lists
  // are read in pages for this long.
  Duration pages_after_a_stall = std::chrono::hours(1);
  // A compressed watch list is replaced by a plain watch if it took no longer than this: servers
  // remember a minute or more of history, and resuming later would require another list.
  Duration leave_compressed_within = std::chrono::seconds(30);
  // After this many watch lists in a row that the server ended, cut or failed, the same pause
  // follows as after a stall: perhaps the server cannot serve any, as without progress
  // notifications.
  unsigned watch_list_failures_max = 3;
  // After this many watches in a row from the same version that were refused or brought nothing,
  // everything is listed: the server may have been reset to an earlier state (a restored etcd),
  // hold an event that cannot be read, or serve no watches.
  unsigned fruitless_watches_max = 2;
  // The same for watches that the server answers with 500: it may be overloaded, but it answers so
  // forever to a version that is no number.
  unsigned failed_watches_max = 8;
  // The API server sends a bookmark each minute; after somewhat more than two minutes of silence
  // the peer is considered dead.
  Duration watch_silence = std::chrono::seconds(130);
  // A watch that ends sooner and empty counts as a failure. After a watch with events, the next is
  // opened no sooner than this, to prevent a busy loop in both cases.
  Duration short_watch = std::chrono::seconds(1);
};

// Why everything is read again (label `reason`).
enum class RelistReason : std::uint8_t {
  start,            // the first time
  expired,          // the server no longer has our resourceVersion (410)
  page_expired,     // the continue token has expired (410) or is otherwise invalid
  ahead_of_server,  // the server has not seen our resourceVersion yet (504)
  fruitless,        // watches from our resourceVersion are refused or bring nothing
};
inline constexpr RelistReason kRelistReasons[] = {
    RelistReason::start, RelistReason::expired, RelistReason::page_expired,
    RelistReason::ahead_of_server, RelistReason::fruitless};
std::string_view to_string(RelistReason reason);

// --- What follows a wait.
struct ListAnew {
  std::optional<RelistReason> reason;  // nullopt: another attempt of the current relist
};
struct ListOn {
  client::Paging page;
  unsigned failures = 0;
};
struct WatchFrom {
  api::ResourceVersion version;
};
using Resumption = std::variant<ListAnew, ListOn, WatchFrom>;

// --- States.
struct Idle {};
struct AwaitingInitialEvents {
  MonoTime since;
  Compression compression = Compression::none;
  bool is_accepted = false;
};
struct Listing {
  client::Paging page;    // the page being read
  unsigned failures = 0;  // failures of this page, in a row
};
struct Watching {
  api::ResourceVersion last;
  MonoTime since;
  // Shown: it has brought an event or a bookmark.
  enum class Progress : std::uint8_t { requested, accepted, shown } progress{};
};
struct Waiting {
  Resumption then;
};
using WatchPhase = std::variant<Idle, AwaitingInitialEvents, Listing, Watching, Waiting>;

// Who can help a failed request: the network, an admin, or only time.
enum class Hindrance : std::uint8_t { unanswered, denied, server };

struct WatchState {
  WatchPhase phase;
  // Until then lists are read in pages: permanently once the server has refused a watch list.
  MonoTime pages_until{};
  client::Paging first_page = {};      // how the next paged list begins
  unsigned failures = 0;               // failures since back-off was last reset
  Hindrance last = Hindrance::server;  // of the last failure
  MonoTime last_failure{};
  unsigned failed_watch_lists = 0;  // ended, cut or failed by the server, in a row
  unsigned fruitless_watches = 0;   // in a row
};

// --- Events: the outcomes of requests.
struct Started {};
struct Accepted {  // the server has accepted the watch
  Compression compression = Compression::none;
};
struct Changed {
  api::ResourceVersion version;
};
using Bookmarked = api::BookmarkEvent;
struct PageRead {
  api::ListMeta meta;
  std::size_t objects = 0;
};
struct Ended {};  // the server has ended the watch cleanly
struct Failed {   // the failure of a request or stream, or an ERROR event in it
  runtime::Error error;
};
struct WaitOver {};
using ReflectorEvent =
    std::variant<Started, Accepted, Changed, Bookmarked, PageRead, Ended, Failed, WaitOver>;

// --- Effects.
struct CountRelist {
  RelistReason reason;
};
struct BeginRelist {};
struct EndRelist {
  api::ResourceVersion version;
};
struct ReportFallback {
  std::string why;
};
// A fault, which lasts until the end of a relist, or the next event of a watch.
struct ReportFailure {
  runtime::Error error;
};
using Effect = std::variant<CountRelist, BeginRelist, EndRelist, ReportFallback, ReportFailure>;

// --- Requests. All but ReadEvent close the open watch.
struct OpenWatchList {
  Deadline deadline;
};
struct ReadPage {
  std::size_t limit;
  std::string continue_token;
  Deadline deadline;
};
struct OpenWatch {
  api::ResourceVersion from;
  Deadline deadline;
};
struct ReadEvent {
  Deadline deadline;
  bool is_initial = false;  // events belong to the current relist
};
struct Wait {
  Duration at_least;
  Duration jitter;  // plus a random part of this
};
using Request = std::variant<OpenWatchList, ReadPage, OpenWatch, ReadEvent, Wait>;

struct WatchStep {
  WatchState next;
  std::vector<Effect> effects;
  Request request;
};

// Whether the event shows more than that a request was accepted: an accepted watch may still fail
// to deliver.
bool shows_progress(const ReflectorEvent& event);
// Whether the event, in this state, shows that a fault is over. A part of a relist does not: the
// next attempt may get as far again. The end of a relist has an effect of its own.
bool shows_recovery(const WatchState& state, const ReflectorEvent& event);

// An event that cannot follow from the state's request is a broken invariant. Each pair of state
// and event is either handled or listed as impossible; a missing pair does not compile.
WatchStep advance(WatchState state, const ReflectorEvent& event, MonoTime now,
                  const WatchPolicy& policy);

}  // namespace dcm::informers
