#include "apiserver/definitions/ca_bundle.hpp"

#include <iterator>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace dcm::apiserver {

namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(char* text) const { OPENSSL_free(text); }
  void operator()(unsigned char* bytes) const { OPENSSL_free(bytes); }
};

struct Block {
  std::string label;
  std::string bytes;
};

std::optional<Block> next_block(BIO& input) {
  char* label = nullptr;
  char* header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;
  const bool is_there = PEM_read_bio(&input, &label, &header, &data, &size) == 1;
  ERR_clear_error();
  if (!is_there) return std::nullopt;
  const std::unique_ptr<char, Free> owned_label(label);
  const std::unique_ptr<char, Free> owned_header(header);
  const std::unique_ptr<unsigned char, Free> owned_data(data);
  return Block{label, std::string(data, data + size)};
}

bool is_certificate(const std::string& bytes) {
  const auto* begin = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::unique_ptr<X509, Free> read(d2i_X509(nullptr, &begin, std::ssize(bytes)));
  ERR_clear_error();
  return read != nullptr;
}

}  // namespace

std::string problem_with_ca_bundle(std::string_view pem) {
  if (pem.empty()) return {};
  const std::unique_ptr<BIO, Free> input(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  std::string_view why = "unable to parse bytes as PEM block";
  while (const auto block = next_block(*input)) {
    if (block->label != "CERTIFICATE") {
      why = "no valid certificate authority data seen";
    } else if (is_certificate(block->bytes)) {
      return {};
    } else {
      why = "failed to parse certificate: x509: malformed certificate";
    }
  }
  return fmt::format("unable to load root certificates: {}", why);
}

}  // namespace dcm::apiserver
