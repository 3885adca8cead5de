#include "apiserver/front/compression.hpp"

#include <zlib.h>

#include "runtime/assert.hpp"

namespace dcm::apiserver {

namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, with gzip's head and tail
constexpr int kDefaultMemory = 8;
constexpr std::size_t kBufferBytes = 32 * 1024;

}  // namespace

struct Gzip::State {
  z_stream zlib{};
};

Gzip::Gzip() : state_(std::make_unique<State>()) {
  [[maybe_unused]] const int done = deflateInit2(&state_->zlib, Z_BEST_SPEED, Z_DEFLATED,
                                                 kGzipWindow, kDefaultMemory, Z_DEFAULT_STRATEGY);
  DCM_ASSERT(done == Z_OK);
}

Gzip::~Gzip() {
  deflateEnd(&state_->zlib);
}

std::string Gzip::add(std::string_view part) {
  return run(part, Z_NO_FLUSH);
}

std::string Gzip::finish() {
  return run({}, Z_FINISH);
}

std::string Gzip::run(std::string_view part, int flush) {
  z_stream& zlib = state_->zlib;
  // zlib does not write to its input, but its interface is not const.
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
  zlib.avail_in = static_cast<uInt>(part.size());
  std::string compressed;
  do {
    const std::size_t filled = compressed.size();
    compressed.resize(filled + kBufferBytes);
    zlib.next_out = reinterpret_cast<Bytef*>(compressed.data() + filled);
    zlib.avail_out = kBufferBytes;
    deflate(&zlib, flush);
    compressed.resize(compressed.size() - zlib.avail_out);
  } while (zlib.avail_out == 0);
  return compressed;
}

bool takes_gzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    const auto comma = accept_encoding.find(',');
    std::string_view token = accept_encoding.substr(0, comma);
    accept_encoding =
        comma == std::string_view::npos ? std::string_view() : accept_encoding.substr(comma + 1);
    token = token.substr(0, token.find(';'));
    while (token.starts_with(' ')) token.remove_prefix(1);
    while (token.ends_with(' ')) token.remove_suffix(1);
    if (token == "gzip") return true;
  }
  return false;
}

void mark_as_gzip(Response& response) {
  response.headers.emplace_back("Content-Encoding", "gzip");
  response.headers.emplace_back("Vary", "Accept-Encoding");
}

void compress(Response& response, std::string_view accept_encoding) {
  if (response.body.size() <= kWorthCompressing || !takes_gzip(accept_encoding)) return;
  Gzip gzip;
  std::string compressed = gzip.add(response.body);
  response.body = compressed + gzip.finish();
  mark_as_gzip(response);
}

}  // namespace dcm::apiserver
