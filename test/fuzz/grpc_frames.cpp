// The body of a gRPC stream, a timeout and a status: read the same however the bytes are split, and
// as they were written.
#include <fmt/format.h>

#include "runtime/grpc/framing.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

constexpr std::size_t kMessageMax = 4096;

std::string read(const Pieces& pieces) {
  grpc::MessageReader reader(kMessageMax);
  std::string all;
  for (const std::string_view piece : pieces) {
    reader.put(piece);
    while (true) {
      const auto message = reader.take();
      if (!message) return all + to_string(message.error());
      if (!*message) break;
      expect((*message)->size() <= kMessageMax, "a message is too large");
      all += fmt::format("[{}]", **message);
    }
  }
  return all + (reader.is_between_messages() ? " end" : " cut");
}

}  // namespace

void run(std::string_view input) {
  const std::string whole = read({input});
  for (const Pieces& pieces : ways_to_cut(input)) {
    expect_equal(read(pieces), whole, "the messages depend on how the bytes come");
  }
  expect_equal(grpc::percent_decode(grpc::percent_encode(input)), input, "a status' message");
  grpc::percent_decode(input);
  if (const auto timeout = grpc::decode_timeout(input)) {
    expect(*timeout >= runtime::Duration::zero(), "a timeout is negative");
  }
  grpc::code_from_number(input);
}

}  // namespace dcm::fuzz
