#include "apiserver/front/compression.hpp"

#include <zlib.h>

#include "runtime/assert.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kWorthIt = 128 * 1024;
constexpr int kGzipWindow = 15 + 16;  // the largest window, with gzip's head and tail
constexpr int kDefaultMemory = 8;

std::string gzip(const std::string& text) {
  z_stream zlib{};
  [[maybe_unused]] int done = deflateInit2(&zlib, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow,
                                           kDefaultMemory, Z_DEFAULT_STRATEGY);
  DCM_ASSERT(done == Z_OK);
  std::string compressed(deflateBound(&zlib, text.size()), '\0');
  // zlib does not write to its input, but its interface does not say so.
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zlib.avail_in = static_cast<uInt>(text.size());
  zlib.next_out = reinterpret_cast<Bytef*>(compressed.data());
  zlib.avail_out = static_cast<uInt>(compressed.size());
  done = deflate(&zlib, Z_FINISH);
  DCM_ASSERT(done == Z_STREAM_END);
  compressed.resize(zlib.total_out);
  deflateEnd(&zlib);
  return compressed;
}

bool names_gzip(std::string_view accept_encoding) {
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

}  // namespace

void compress(Response& response, std::string_view accept_encoding) {
  if (response.body.size() <= kWorthIt || !names_gzip(accept_encoding)) return;
  response.body = gzip(response.body);
  response.headers.emplace_back("Content-Encoding", "gzip");
  response.headers.emplace_back("Vary", "Accept-Encoding");
}

}  // namespace dcm::apiserver
