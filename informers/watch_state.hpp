// The protocol of one reflector as a state machine without I/O: watch list (KEP-3157) or paged
// list, then a watch that is resumed for as long as the server remembers.
//
//   advance(state, event, now, policy) -> { next state, effects, request }
//
// The reflector carries the effects out in their order, then the request, whose outcome is the next
// event. Every rule about fallback, expiry, back-off and deadlines is here; reflector.hpp has none.
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

// What a cache may hold: of a server that means harm, or of a cluster beyond all that Kubernetes is
// tested with, the rest is refused, and the cache is not synced.
struct CacheLimits {
  std::size_t objects = 1'000'000;
  std::size_t bytes = std::size_t{4} << 30;
};

struct WatchPolicy {
  CacheLimits cache;
  // After a failure: doubling from `backoff_min` to `backoff_max`, and up to as much again
  // (jitter); back at the start after `backoff_reset` without a failure.
  Duration backoff_min = std::chrono::milliseconds(800);
  Duration backoff_max = std::chrono::seconds(30);
  Duration backoff_reset = std::chrono::minutes(2);
  // A list is begun anew when one of its pages has failed more often than this in a row.
  unsigned page_failures_max = 8;
  // The maximum while there is no answer at all: another attempt burdens no server, and a server
  // that returns is to be noticed within seconds. (Up to as much again, too.)
  Duration unanswered_max = std::chrono::seconds(4);
  // The same, without jitter, where help must come from outside (no permission, no credentials, no
  // such resource): an API server that starts refuses all clients until it has read its roles.
  Duration denied_max = std::chrono::seconds(30);

  Duration request_timeout = std::chrono::seconds(60);  // a page; the acceptance of a watch
  // Initial events: the longest pause between two, and the longest time for all.
  Duration initial_events_pause = std::chrono::seconds(30);
  Duration initial_events_total = std::chrono::minutes(2);
  // A watch list that stalls may be a server's doing that does not understand it, or the network's
  // on a bad day: for so long lists are read in pages then.
  Duration pages_after_a_stall = std::chrono::hours(1);
  // A compressed watch list is left for a plain watch if it took no longer than this: a server
  // remembers a minute or more of history, and who comes too late has to read everything again.
  Duration leave_compressed_within = std::chrono::seconds(30);
  // After so many watch lists in a row that the server has ended or failed: it may be unable to
  // give any, as on storage without progress notifications. The same pause as after a stall.
  unsigned watch_list_failures_max = 3;
  // After so many watches in a row, from the same version, that were accepted and brought nothing,
  // everything is listed: the server may have gone back to an earlier state (a restored etcd), or
  // hold an event that cannot be read.
  unsigned fruitless_watches_max = 2;
  // The API server sends a bookmark each minute; after two of them and some the peer is taken for
  // dead.
  Duration watch_silence = std::chrono::seconds(130);
  // A watch that ends sooner and empty counts as a failure. After a watch with events, the next is
  // opened no sooner than this: neither must become a busy loop.
  Duration short_watch = std::chrono::seconds(1);
};

// Why everything is read again (label `reason`).
enum class RelistReason : std::uint8_t {
  start,            // the first time
  expired,          // the server has forgotten our resourceVersion (410)
  page_expired,     // the continue token is too old (410), or of no use to the server any more
  ahead_of_server,  // the server has not seen our resourceVersion yet (504)
  fruitless,        // watches from our resourceVersion bring nothing
};
inline constexpr RelistReason kRelistReasons[] = {
    RelistReason::start, RelistReason::expired, RelistReason::page_expired,
    RelistReason::ahead_of_server, RelistReason::fruitless};
std::string_view to_string(RelistReason reason);

// --- What a wait is followed by.
struct ListAnew {
  std::optional<RelistReason> reason;  // nothing: another attempt at the relist under way
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
};
struct Listing {
  client::Paging page;    // that is being read
  unsigned failures = 0;  // of this page, in a row
};
struct Watching {
  api::ResourceVersion last;
  MonoTime since;
  bool has_shown_anything = false;
  bool is_accepted = false;
};
struct Waiting {
  Resumption then;
};
using WatchPhase = std::variant<Idle, AwaitingInitialEvents, Listing, Watching, Waiting>;

// What kind of help a failed request needs: of the network, of an admin, or none but time.
enum class Hindrance : std::uint8_t { unanswered, denied, server };

struct WatchState {
  WatchPhase phase;
  // Until then lists are read in pages: for good once the server has refused a watch list.
  MonoTime pages_until{};
  unsigned failures = 0;               // since back-off was last reset
  Hindrance last = Hindrance::server;  // that of the last of them
  MonoTime last_failure{};
  unsigned failed_watch_lists = 0;  // by the server, in a row
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
struct Failed {   // a request, a stream, or an ERROR event in it
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
// Something is wrong, and lasts until the next event that is no failure.
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
  bool is_initial = false;  // what is read belongs to the relist under way
};
struct Wait {
  Duration at_least;
  Duration jitter;  // a random part of this comes on top
};
using Request = std::variant<OpenWatchList, ReadPage, OpenWatch, ReadEvent, Wait>;

struct WatchStep {
  WatchState next;
  std::vector<Effect> effects;
  Request request;
};

// Whether the event says more than that a request was accepted: an accepted watch may still be good
// for nothing.
bool shows_progress(const ReflectorEvent& event);

// An event that cannot follow from the state's request is a broken invariant. Each pair of state
// and event is either handled or listed as impossible; a forgotten one does not compile.
WatchStep advance(WatchState state, const ReflectorEvent& event, MonoTime now,
                  const WatchPolicy& policy);

}  // namespace dcm::informers
