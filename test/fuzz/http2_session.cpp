// Bytes of an HTTP/2 peer, to either side of a session. However the bytes are cut, the same
// happens; and the answer ends.
#include <map>

#include <fmt/format.h>

#include "runtime/http2/session.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

using namespace http2;

// More than any input here can ask for.
constexpr std::size_t kOutputMax = 16 * 1024 * 1024;

std::string fields_of(const http::Headers& fields) {
  std::string text;
  for (const auto& [name, value] : fields) text += fmt::format(" {}={}", name, value);
  return text;
}

// The events of each stream; pieces of data are joined.
class Story {
 public:
  void add(const Event& event) {
    std::visit([this](const auto& each) { take(each); }, event);
  }
  std::string text() const {
    std::string all = session_;
    for (const auto& [id, story] : streams_) all += fmt::format("\n{}:{}", id, story);
    return all;
  }

 private:
  void take(const HeadEvent& e) { streams_[e.stream] += "\nhead" + fields_of(e.fields) + "\n"; }
  void take(const DataEvent& e) { streams_[e.stream] += e.bytes; }
  void take(const TrailersEvent& e) { streams_[e.stream] += "\ntrailers" + fields_of(e.fields); }
  void take(const EndEvent& e) { streams_[e.stream] += "\nend"; }
  void take(const ClosedEvent& e) { streams_[e.stream] += "\nclosed " + to_string(e.code); }
  void take(const SettingsEvent&) { session_ += "settings "; }
  void take(const GoAwayEvent& e) { session_ += "goaway " + to_string(e.code) + " "; }

  std::string session_;
  std::map<StreamId, std::string> streams_;
};

std::string play(Side side, const Pieces& pieces) {
  Session session(side, {});
  if (side == Side::client) {
    const http::Headers get = {
        {":method", "GET"}, {":scheme", "http"}, {":authority", "host"}, {":path", "/"}};
    session.open(get, Body::none);
    const StreamId posted = session.open(get);
    session.write(posted, "body");
    session.end(posted);
  }
  Story story;
  for (const std::string_view piece : pieces) {
    session.receive(piece);
    for (const Event& event : session.take_events()) {
      story.add(event);
      if (const auto* const data = std::get_if<DataEvent>(&event)) {
        session.consume(data->stream, data->bytes.size());
      }
    }
  }
  for (std::size_t sent = 0;;) {
    const std::string_view output = session.next_output();
    if (output.empty()) break;
    sent += output.size();
    expect(sent < kOutputMax, "what is said in return has no end");
  }
  for (const Event& event : session.take_events()) story.add(event);
  return story.text();
}

}  // namespace

// The first byte says who reads.
void run(std::string_view input) {
  if (input.empty()) return;
  const Side side = input.front() == 'c' ? Side::client : Side::server;
  input.remove_prefix(1);
  const std::string expected = play(side, {input});
  for (const Pieces& pieces : ways_to_cut(input)) {
    expect_equal(play(side, pieces), expected, "the story depends on how the bytes come");
  }
}

}  // namespace dcm::fuzz
