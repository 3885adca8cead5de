// Common code to interpret clusters, users and contexts of a kubeconfig.
#pragma once

#include <string>
#include <string_view>

#include "client/config/config.hpp"
#include "client/config/kubeconfig.hpp"
#include "client/config/pem.hpp"
#include "runtime/error.hpp"

namespace dcm::client {

// "file:12: user "ada": what". Line 0: the line of the entry.
std::string locate_in(const KubeconfigEntry& entry, std::string_view kind, int line,
                      std::string_view what);
// An error (configuration) with that text.
std::unexpected<runtime::Error> refuse(const KubeconfigEntry& entry, std::string_view kind,
                                       int line, std::string_view what);

runtime::Result<> check_supported(const KubeconfigEntry& entry, std::string_view kind);
void warn_of_unknown_keys(ClusterConfig& config, const KubeconfigEntry& entry,
                          std::string_view kind);

// Relative paths start from the folder of the file that names them.
std::string resolve_path(const KubeconfigEntry& entry, const std::string& path);

// A field that comes as `<key>-data` in base64 or as `<key>` naming a file.
runtime::Result<PemSource> read_pem_source(const KubeconfigEntry& entry, std::string_view kind,
                                           std::string_view key, const Text& data, const Text& file,
                                           PemKind expected);

}  // namespace dcm::client
