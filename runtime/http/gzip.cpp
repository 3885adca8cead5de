#include "runtime/http/gzip.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include <fmt/format.h>
#include <zlib.h>

namespace dcm::http {
namespace {

// The largest window, and gzip framing instead of zlib's.
constexpr int kGzipWindowBits = 15 + 16;

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

}  // namespace dcm::http
