// The wire format of protocol buffers: a message as its fields, one after the other. What a number
// means is for others to know.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dcm::apiserver {

struct WireField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;      // of a varint
  std::string_view bytes = {};  // of a length-delimited field; within the message
};

class WireReader {
 public:
  // `message` outlives the reader and its fields.
  explicit WireReader(std::string_view message) : rest_(message) {}

  // nullopt at the end, or when the message is broken. Fixed-size fields are passed over.
  std::optional<WireField> next();
  bool broken() const { return broken_; }

 private:
  std::optional<std::uint64_t> varint();
  std::optional<std::string_view> take(std::uint64_t size);
  std::optional<WireField> fail();

  std::string_view rest_;
  bool broken_ = false;
};

}  // namespace dcm::apiserver
