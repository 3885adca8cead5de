// Carries one watch from a server to a client, and can corrupt it on the way.
//
// Frames of JSON (lines) are passed on whole, so that an event can be inserted between them; any
// other body is passed on as it comes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "runtime/condition.hpp"
#include "runtime/http/client.hpp"
#include "runtime/http/server.hpp"
#include "runtime/task_group.hpp"

namespace dcm::support {

// Both streams must outlive it.
class WatchRelay {
 public:
  WatchRelay(runtime::Executor executor, runtime::TimeSource& time, std::string target,
             http::StreamingResponse& from, http::Responder& to);

  const std::string& target() const { return target_; }
  // Runs until either side ends the watch.
  runtime::Task<> run();

  // The connection to the client is closed silently; at once, or when this many bytes of the body
  // have been passed on.
  void cut() { cut_after(0); }
  void cut_after(std::size_t bytes);
  // No byte is passed on until resume(); then all of them are.
  void stall() { is_stalled_ = true; }
  void resume();
  // `event` is a line of JSON, without the newline.
  void inject(const std::string& event);

 private:
  enum class Source { open, ended, broken };

  runtime::Task<> read_all();
  runtime::Task<> write_all();
  runtime::Task<> write_pending();
  void take(std::string_view piece);
  bool is_cut_due() const { return cut_after_ && written_ >= *cut_after_; }

  std::string target_;
  http::StreamingResponse& from_;
  http::Responder& to_;
  bool is_json_;
  bool is_stalled_ = false;
  Source source_ = Source::open;
  std::optional<std::size_t> cut_after_;
  std::size_t written_ = 0;
  std::string partial_;  // the beginning of a frame
  std::string pending_;  // whole frames, to be written
  runtime::Condition changed_;
  runtime::TaskGroup group_;
};

}  // namespace dcm::support
