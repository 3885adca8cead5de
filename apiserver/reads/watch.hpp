// An open watch: a cursor into the history of a resource.
//
// A front pulls lines with next(), and a callback tells it when to pull again. The watch has no
// queue: a reader that stops reading costs nothing, and is cut off when the history has moved past
// its cursor, like slow readers of a real server.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/reads/lists.hpp"
#include "apiserver/reads/table.hpp"
#include "apiserver/registry/object_texts.hpp"
#include "runtime/rng.hpp"
#include "runtime/time.hpp"

namespace dcm::apiserver {

// How a server serves watches.
struct WatchServing {
  runtime::Duration bookmark_interval = std::chrono::minutes(1);
  // The minimum lifetime of a watch without a timeout; the maximum is twice that.
  runtime::Duration timeout = std::chrono::minutes(30);
  // A server before 1.27 (or with the gate off) rejects `sendInitialEvents`, an older one does not
  // know it.
  enum class WatchList { supported, refused, ignored } watch_list = WatchList::supported;
};

// The server's parts that a watch uses. All references must outlive it.
struct WatchContext {
  const Store* store;
  runtime::TimeSource* time;
  runtime::Rng* rng;
  const WatchServing* options;
  ObjectTexts* texts;
};

class Watch {
 public:
  // Events carry objects in `form`, or tables of one row in `style`. 4xx for conflicting
  // parameters, 500 for a version that is no number. A version that is too old or too new is not a
  // failure, but an ERROR event in the stream.
  static Result<std::unique_ptr<Watch>> open(const WatchContext& context, const ListTarget& target,
                                             const Query& query, const Form& form = {},
                                             std::optional<TableStyle> style = {});
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // The media type of the stream, for its Content-Type.
  std::string_view media_type() const;
  // The next event as a line of JSON (with its newline) or a frame of protobuf; nullopt if there is
  // none now.
  std::optional<std::string> next();
  // Nothing more will come: close the stream. Pull remaining events first.
  bool ended() const { return ended_; }
  // Called whenever next() or ended() may have changed, possibly in the middle of a write: it must
  // only take note, and pull later.
  void on_ready(std::function<void()> callback) { ready_ = std::move(callback); }

  const ListTarget& target() const { return target_; }
  // The User-Agent of the client that reads it.
  const std::string& client() const { return client_; }
  void set_client(std::string client) { client_ = std::move(client); }

  // For the server: after a write, or when the server stops.
  void notify();
  void end();
  // Called once, on destruction.
  void on_close(std::function<void()> callback) { closed_ = std::move(callback); }

 private:
  // The events before the live ones.
  struct Start {
    Revision revision = 0;      // live events follow after it
    bool with_objects = false;  // the objects as of `revision` come first
    bool with_marker = false;   // then the bookmark that marks their end
  };

  Watch(const WatchContext& context, ListTarget target, Selector selector)
      : context_(context), target_(std::move(target)), selector_(std::move(selector)) {}

  static Result<> check_options(const WatchServing& options, const Query& query);
  static Result<Start> choose_start(const WatchContext& context, const ListTarget& target,
                                    const Query& query);
  void begin(const Start& start, const Query& query);
  void fail(const ApiError& error);
  void schedule_bookmark();
  std::optional<std::string> next_change();
  std::string bookmark();
  std::string initial_marker();
  std::string line(std::string_view type, const Stored& object);
  std::string event(std::string_view type, std::string_view object) const;

  WatchContext context_;
  ListTarget target_;
  std::string client_;
  Selector selector_;
  Form form_;
  std::optional<TableStyle> style_;
  ColumnHeads heads_ = ColumnHeads::shown;  // for the next line
  std::deque<Stored> initial_;              // remaining initial objects
  bool marker_due_ = false;                 // the bookmark that ends them
  bool has_failed_ = false;
  std::optional<std::string> failure_;  // the ERROR, the last event of a watch that has failed
  std::uint64_t cursor_ = 0;
  Revision floor_ = 0;  // events up to here are skipped
  runtime::MonoTime ends_at_{};
  bool bookmark_due_ = false;
  bool ended_ = false;
  std::optional<runtime::TimerId> bookmark_timer_;
  std::optional<runtime::TimerId> end_timer_;
  std::function<void()> ready_;
  std::function<void()> closed_;
};

}  // namespace dcm::apiserver
