// Compresses large answers like k8s.io/apiserver: by gzip, from 128 KiB on, never a watch.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "apiserver/requests/request.hpp"

namespace dcm::apiserver {

// Smaller answers are sent uncompressed.
inline constexpr std::size_t kWorthCompressing = 128 * 1024;

bool takes_gzip(std::string_view accept_encoding);
// Sets the headers of a compressed body.
void mark_as_gzip(Response& response);

// gzip, part by part.
class Gzip {
 public:
  Gzip();
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  // Returns the bytes to send after this part; may be empty.
  std::string add(std::string_view part);
  // The remaining bytes.
  std::string finish();

 private:
  struct State;
  std::string run(std::string_view part, int flush);
  std::unique_ptr<State> state_;
};

// Compresses the body if `accept_encoding` names gzip and it is large enough.
void compress(Response& response, std::string_view accept_encoding);

}  // namespace dcm::apiserver
