// gzip as HTTP's content encoding (RFC 1952, RFC 9110 section 8.4.1.3), read as a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/error.hpp"

namespace dcm::http {

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

// The body of an answer without its content encoding: inflated if that is gzip, else as it came.
class BodyDecoder {
 public:
  // Takes the Content-Encoding of the headers; nullopt: none. Call it before the first put().
  // Errors: malformed: an encoding that was not requested.
  runtime::Result<> set_encoding(std::optional<std::string_view> encoding);
  // Requires that next() has nothing more of what was put before. `bytes` must stay valid until
  // then.
  void put(std::string_view bytes) { encoded_ = bytes; }
  // The next piece, valid until the next call; empty: put() more. Errors: malformed: broken gzip.
  runtime::Result<std::string_view> next();
  // Errors: malformed: the body may not end here.
  runtime::Result<> end() const;
  // Whether the loop must yield after this many bytes of next(): a few bytes can become megabytes,
  // and inflating 256 KiB takes about a millisecond.
  bool must_yield_after(std::size_t bytes);

 private:
  std::unique_ptr<Inflater> inflater_;  // null: no encoding
  std::string_view encoded_;
  std::vector<char> inflated_;
  std::size_t bytes_of_turn_ = 0;
  bool may_hold_more_ = false;  // the inflater filled its output completely
};

}  // namespace dcm::http
