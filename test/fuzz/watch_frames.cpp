// The body of a watch, split into events and decoded like an informer, as each kind. However the
// bytes are split, the events are the same, and so is the final error.
#include <memory>

#include "informers/api_lister_watcher.hpp"
#include "runtime/loop.hpp"
#include "test/fuzz/decoders.hpp"
#include "test/fuzz/describe.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

class CutBody final : public http::StreamingResponse {
 public:
  explicit CutBody(const Pieces& pieces) : pieces_(pieces) {}

  std::uint16_t status() const override { return 200; }
  const http::Headers& headers() const override { return headers_; }
  runtime::Task<runtime::Result<std::string_view>> read_some(runtime::Deadline) override {
    if (next_ == pieces_.size()) co_return std::string_view();
    co_return pieces_[next_++];
  }

 private:
  const Pieces& pieces_;
  std::size_t next_ = 0;
  http::Headers headers_;
};

template <class T>
runtime::Task<> read_all(const api::Decoder<T>& decoder, const Pieces& pieces, std::string& told) {
  informers::ApiWatchStream<T> stream(std::make_unique<CutBody>(pieces), decoder, "https://server");
  while (true) {
    const auto event = co_await stream.next({});
    if (!event) {
      expect_readable(event.error().message);
      told += describe(event.error());
      co_return;
    }
    if (!*event) co_return;
    told += describe_event<T>(**event) + "\n";
  }
}

template <class T>
std::string events_of(const api::Decoder<T>& decoder, const Pieces& pieces) {
  runtime::VirtualLoop loop;
  std::string told;
  loop.run(read_all(decoder, pieces, told));
  return told;
}

}  // namespace

void run(std::string_view input) {
  const std::vector<Pieces> ways = ways_to_cut(input);
  for_each_decoder([&](const auto& decoder) { events_of(decoder, ways.front()); });
  // One kind suffices: frames are split before their kind is known.
  static const auto claims = api::make_json_claim_decoder("v1");
  const std::string told = events_of(*claims, ways.front());
  for (std::size_t i = 1; i < ways.size(); ++i) {
    expect_equal(told, events_of(*claims, ways[i]), "the events do not depend on the pieces");
  }
}

}  // namespace dcm::fuzz
