#include "runtime/http/gzip.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "runtime/http/message.hpp"
#include "runtime/one_line.hpp"

namespace dcm::http {
namespace {

// The largest window, and gzip framing instead of zlib's.
constexpr int kGzipWindowBits = 15 + 16;
constexpr std::size_t kInflatedBytes = 32 * 1024;
constexpr std::size_t kBytesPerTurn = 256 * 1024;

uInt clamp(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

}  // namespace

struct Inflater::Zlib {
  z_stream stream{};

  Zlib() {
    if (inflateInit2(&stream, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
    // No checksum: it takes almost half of the time, RFC 1952 (2.3.1.2) does not require it, and
    // TLS has authenticated each byte.
    inflateValidate(&stream, 0);
  }
  ~Zlib() { inflateEnd(&stream); }
  Zlib(const Zlib&) = delete;
  Zlib& operator=(const Zlib&) = delete;
};

Inflater::Inflater() : zlib_(std::make_unique<Zlib>()) {}
Inflater::~Inflater() = default;

runtime::Result<Inflater::Step> Inflater::inflate(std::string_view input, std::span<char> output) {
  Step step;
  z_stream& stream = zlib_->stream;
  while (step.produced < output.size()) {
    const std::string_view rest = input.substr(step.consumed);
    if (rest.empty() && at_member_end_) break;
    if (at_member_end_) inflateReset(&stream);
    at_member_end_ = false;
    const uInt in_size = clamp(rest.size());
    const uInt out_size = clamp(output.size() - step.produced);
    // zlib's pointers are not const in this version, yet it does not write to its input.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    stream.avail_in = in_size;
    stream.next_out = reinterpret_cast<Bytef*>(output.data() + step.produced);
    stream.avail_out = out_size;
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    const std::size_t consumed = in_size - stream.avail_in;
    const std::size_t produced = out_size - stream.avail_out;
    step.consumed += consumed;
    step.produced += produced;
    offset_ += consumed;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      at_member_end_ = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return runtime::fail(runtime::Reason::malformed,
                           fmt::format("gzip is broken at byte {}: {}", offset_,
                                       stream.msg != nullptr ? stream.msg : "no gzip"));
    } else if (consumed == 0 && produced == 0) {
      break;
    }
  }
  return step;
}

runtime::Result<> BodyDecoder::set_encoding(std::optional<std::string_view> encoding) {
  if (!encoding || equals_without_case(*encoding, "identity")) return {};
  if (!equals_without_case(*encoding, "gzip")) {
    return runtime::fail(
        runtime::Reason::malformed,
        runtime::one_line(fmt::format("the answer is encoded as \"{}\"", *encoding)));
  }
  inflater_ = std::make_unique<Inflater>();
  inflated_.resize(kInflatedBytes);
  return {};
}

runtime::Result<std::string_view> BodyDecoder::next() {
  if (inflater_ == nullptr) return std::exchange(encoded_, {});
  while (!encoded_.empty() || may_hold_more_) {
    const auto step = inflater_->inflate(encoded_, inflated_);
    if (!step) return runtime::fail(step.error());
    encoded_.remove_prefix(step->consumed);
    may_hold_more_ = step->produced == inflated_.size();
    if (step->produced > 0) return std::string_view(inflated_.data(), step->produced);
  }
  return std::string_view();
}

runtime::Result<> BodyDecoder::end() const {
  if (inflater_ == nullptr || inflater_->at_member_end()) return {};
  return runtime::fail(runtime::Reason::malformed, "the answer ends in the middle of its gzip");
}

bool BodyDecoder::must_yield_after(std::size_t bytes) {
  if (inflater_ == nullptr) return false;
  bytes_of_turn_ += bytes;
  if (bytes_of_turn_ < kBytesPerTurn) return false;
  bytes_of_turn_ = 0;
  return true;
}

}  // namespace dcm::http
