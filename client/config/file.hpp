// Reads small files completely: kubeconfigs, certificates, tokens.
#pragma once

#include <string>

#include "runtime/error.hpp"

namespace dcm::client {

// Larger than any kubeconfig or CA bundle; a larger file was named by mistake.
inline constexpr std::size_t kMaxConfigFileBytes = 16U << 20;

// Errors: configuration, "<file>: cannot be read: No such file or directory"; never the content.
runtime::Result<std::string> read_file(const std::string& file);

// The same for a file that is read repeatedly: it must be a regular file, as a FIFO may block the
// loop forever.
runtime::Result<std::string> read_regular_file(const std::string& file);

// A file that cannot be examined (in a folder without permission) counts as existing: reading it
// then reports the reason.
bool file_exists(const std::string& file);

}  // namespace dcm::client
