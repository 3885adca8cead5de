// Checks that a text is PEM (RFC 7468) at all, for a clear message about a swapped or truncated
// file before OpenSSL reads it. Does not decode: OpenSSL judges the content of the blocks.
#pragma once

#include <string>
#include <string_view>

#include "runtime/error.hpp"

namespace dcm::client {

enum class PemKind { certificate, private_key };

// The words for messages: "a certificate in PEM".
std::string_view to_string(PemKind kind);

// Whether `text` contains a complete block of that kind.
bool has_pem_block(std::string_view text, PemKind kind);

// Reads a file with such a block. Errors: configuration, naming the file.
runtime::Result<std::string> read_pem_file(const std::string& file, PemKind kind);

}  // namespace dcm::client
