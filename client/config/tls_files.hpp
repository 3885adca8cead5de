// The certificates and keys behind a ClusterConfig, as texts; read again when their files change.
//
// Client certificates and CA bundles are rotated while the process runs (kubelet, cert-manager,
// projected volumes); that must not need a restart. Nothing is watched here: the transport's owner
// polls, which costs one stat() per file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "client/config/config.hpp"
#include "runtime/error.hpp"
#include "runtime/http/tcp.hpp"

namespace dcm::client {

// The texts behind `config`'s PEM sources. Errors: configuration, naming the file that is
// unreadable, or holds no certificate or key in PEM.
runtime::Result<http::TlsClientOptions> read_tls_options(const ClusterConfig& config);

// Remembers which files it has read. Owned by the code that passes options to the transport.
class TlsFiles {
 public:
  explicit TlsFiles(ClusterConfig config);

  // The options on the first call and whenever a file has changed since; otherwise nullopt. After
  // an error, the next call tries again. A certificate and a key that are read between their two
  // writes do not match; the second write causes another read.
  runtime::Result<std::optional<http::TlsClientOptions>> read_if_changed();

 private:
  // The fields of stat() that change with a file's content: another inode after a rename or a
  // swapped symlink (as in projected volumes), another time or size after a write in place.
  struct Fingerprint {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size = -1;  // for no file
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;
    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
  };
  using Fingerprints = std::array<Fingerprint, 3>;

  static Fingerprint fingerprint_of(const std::string& file);
  Fingerprints fingerprints() const;

  ClusterConfig config_;
  std::optional<Fingerprints> read_;  // taken before reading, so that no write is missed
};

}  // namespace dcm::client
