// gzip as HTTP's content encoding (RFC 1952, RFC 9110 section 8.4.1.3), read as a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/error.hpp"

namespace dcm::http {

// How much a loop may inflate before it must yield: a few bytes can become megabytes, and inflating
// one turn's 256 KiB takes about a millisecond.
class InflatingTurn {
 public:
  // Counts `bytes` more. Whether the turn is used up; then the next one starts.
  bool is_over(std::size_t bytes) {
    constexpr std::size_t kBytesPerTurn = 256 * 1024;
    bytes_ += bytes;
    if (bytes_ < kBytesPerTurn) return false;
    bytes_ = 0;
    return true;
  }

 private:
  std::size_t bytes_ = 0;
};

// Inflates any number of gzip members in sequence: an API server 1.37 ends a member with each flush
// of a watch and starts the next one with its next event, so the end of a member is not the end of
// the body.
class Inflater {
 public:
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
  };

  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Inflates as much of `input` as `output` has room for. If the output was filled, more may follow
  // even when all input is consumed. The memory is bounded by `output`. Errors: malformed, with the
  // offset in the compressed bytes.
  runtime::Result<Step> inflate(std::string_view input, std::span<char> output);

  // Whether the body may end here.
  bool at_member_end() const noexcept { return at_member_end_; }

 private:
  struct Zlib;
  std::unique_ptr<Zlib> zlib_;
  std::uint64_t offset_ = 0;
  bool at_member_end_ = true;  // an empty body has no members
};

}  // namespace dcm::http
