// Whether a text is PEM (RFC 7468) at all: a clear word about a swapped or truncated file, before
// OpenSSL gets to see it. Does not decode: what is inside the blocks is OpenSSL's to judge.
#pragma once

#include <string>
#include <string_view>

#include "runtime/error.hpp"

namespace dcm::client {

enum class PemKind { certificate, private_key };

// As in messages: "a certificate in PEM".
std::string_view to_string(PemKind kind);

// Whether `text` has a whole block of that kind.
bool has_pem_block(std::string_view text, PemKind kind);

// A file that has one.
// Errors: configuration, naming the file.
runtime::Result<std::string> read_pem_file(const std::string& file, PemKind kind);

}  // namespace dcm::client
