// Bytes of an HTTP/2 peer, for either side of a session. However the bytes are split, the result is
// the same; and the answer ends.
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "runtime/http2/session.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

using namespace http2;

// More than any input here can request.
constexpr std::size_t kOutputMax = 16 * 1024 * 1024;

std::string fields_of(const http::Headers& fields) {
  std::string text;
  for (const auto& [name, value] : fields) text += fmt::format(" {}={}", name, value);
  return text;
}

// The events of each stream; pieces of data are joined. Ends with the last stream after a GOAWAY:
// later events depend on whether they are in the same piece.
class Story {
 public:
  explicit Story(std::set<StreamId> open) : open_(std::move(open)) {}

  void add(const Event& event) {
    if (is_leaving_ && open_.empty()) return;
    std::visit([this](const auto& each) { take(each); }, event);
  }
  std::string text() const {
    std::string all = session_;
    for (const auto& [id, story] : streams_) all += fmt::format("\n{}:{}", id, story);
    return all;
  }

 private:
  void take(const HeadEvent& e) {
    open_.insert(e.stream);
    streams_[e.stream] += "\nhead" + fields_of(e.fields) + "\n";
  }
  void take(const DataEvent& e) { streams_[e.stream] += e.bytes; }
  void take(const TrailersEvent& e) { streams_[e.stream] += "\ntrailers" + fields_of(e.fields); }
  void take(const EndEvent& e) { streams_[e.stream] += "\nend"; }
  void take(const ClosedEvent& e) {
    open_.erase(e.stream);
    streams_[e.stream] += "\nclosed " + to_string(e.code);
  }
  void take(const SettingsEvent&) { session_ += "settings "; }
  void take(const GoAwayEvent& e) {
    is_leaving_ = true;
    session_ += "goaway " + to_string(e.code) + " ";
  }

  std::set<StreamId> open_;
  bool is_leaving_ = false;
  std::string session_;
  std::map<StreamId, std::string> streams_;
};

// To its end.
void send(Session& session) {
  for (std::size_t sent = 0;;) {
    const std::string_view output = session.next_output();
    if (output.empty()) return;
    sent += output.size();
    expect(sent < kOutputMax, "what is said in return has no end");
  }
}

// nullopt if there were too many CONTINUATION frames: nghttp2 counts the pieces of a frame's
// header.
std::optional<std::string> play(Side side, const Pieces& pieces) {
  Session session(side, {});
  std::set<StreamId> open;
  if (side == Side::client) {
    const http::Headers get = {
        {":method", "GET"}, {":scheme", "http"}, {":authority", "host"}, {":path", "/"}};
    open.insert(session.open(get, Body::none));
    const StreamId posted = session.open(get);
    session.write(posted, "body");
    session.end(posted);
    open.insert(posted);
    send(session);
  }
  Story story(std::move(open));
  for (const std::string_view piece : pieces) {
    session.receive(piece);
    for (const Event& event : session.take_events()) {
      story.add(event);
      if (const auto* const data = std::get_if<DataEvent>(&event)) {
        session.consume(data->stream, data->bytes.size());
      }
    }
  }
  send(session);
  for (const Event& event : session.take_events()) story.add(event);
  if (session.fault().contains("CONTINUATION")) return std::nullopt;
  return story.text();
}

}  // namespace

// The first byte selects the reading side.
void run(std::string_view input) {
  if (input.empty()) return;
  const Side side = input.front() == 'c' ? Side::client : Side::server;
  input.remove_prefix(1);
  const auto expected = play(side, {input});
  for (const Pieces& pieces : ways_to_cut(input)) {
    const auto story = play(side, pieces);
    if (!story || !expected) continue;
    expect_equal(*story, *expected, "the story depends on how the bytes come");
  }
}

}  // namespace dcm::fuzz
