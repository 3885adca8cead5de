// The node's checkpoint: any bytes are rejected or read, and what was read survives writing and
// reading.
#include <fmt/format.h>

#include "node/checkpoint/codec.hpp"
#include "node/checkpoint/crc32.hpp"
#include "node/checkpoint/go_json.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

void read_and_write(std::string_view file) {
  const auto entries = node::decode_checkpoint(file);
  if (!entries) return;
  const std::string written = node::encode_checkpoint(*entries);
  const auto again = node::decode_checkpoint(written);
  expect(again.has_value(), "what was written cannot be read");
  expect_equal(node::encode_checkpoint(*again), written, "a checkpoint read again");
}

}  // namespace

// As a whole file, and as the data of one with a correct checksum.
void run(std::string_view input) {
  read_and_write(input);
  std::string file = R"({"Data":)";
  node::append_go_string(file, input);
  file += fmt::format(R"(,"Checksum":{}}})", node::crc32(input));
  read_and_write(file);
}

}  // namespace dcm::fuzz
