#include "test/support/watch_relay.hpp"

#include <algorithm>
#include <utility>

namespace dcm::support {
namespace {

bool is_json(const http::Headers& headers) {
  const auto type = headers.find("Content-Type");
  return type && type->starts_with("application/json");
}

}  // namespace

WatchRelay::WatchRelay(runtime::Executor executor, runtime::TimeSource& time, std::string target,
                       http::StreamingResponse& from, http::Responder& to)
    : target_(std::move(target)),
      from_(from),
      to_(to),
      is_json_(is_json(from.headers())),
      changed_(time),
      group_(std::move(executor)) {}

runtime::Task<> WatchRelay::run() {
  group_.spawn("read", read_all());
  group_.spawn("write", write_all());
  co_await group_.join();
}

void WatchRelay::cut_after(std::size_t bytes) {
  cut_after_ = bytes;
  changed_.notify_all();
}

void WatchRelay::resume() {
  is_stalled_ = false;
  changed_.notify_all();
}

void WatchRelay::inject(const std::string& event) {
  pending_ += event + "\n";
  changed_.notify_all();
}

runtime::Task<> WatchRelay::read_all() {
  while (source_ == Source::open) {
    const auto piece = co_await from_.read_some({});
    if (!piece) {
      source_ = Source::broken;
    } else if (piece->empty()) {
      source_ = Source::ended;
    } else {
      take(*piece);
    }
    changed_.notify_all();
  }
}

void WatchRelay::take(std::string_view piece) {
  partial_ += piece;
  const std::size_t whole = is_json_ ? partial_.rfind('\n') + 1 : partial_.size();
  pending_.append(partial_, 0, whole);
  partial_.erase(0, whole);
}

runtime::Task<> WatchRelay::write_all() {
  while (!is_cut_due()) {
    if (!pending_.empty() && !is_stalled_) {
      co_await write_pending();
    } else if (source_ != Source::open && !is_stalled_) {
      break;
    } else {
      co_await changed_.wait();
    }
  }
  if (source_ == Source::ended && !is_cut_due()) {
    co_await to_.end();
  } else {
    to_.abort();
  }
  group_.cancel();
}

runtime::Task<> WatchRelay::write_pending() {
  std::string bytes = std::exchange(pending_, {});
  if (cut_after_) bytes.resize(std::min(bytes.size(), *cut_after_ - written_));
  written_ += bytes.size();
  const auto written = co_await to_.write(bytes);
  if (!written) cut();
}

}  // namespace dcm::support
