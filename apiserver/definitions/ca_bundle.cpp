#include "apiserver/definitions/ca_bundle.hpp"

#include <memory>

#include <fmt/format.h>
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
  bool is_certificate = false;  // one that can be read
};

// The next block, or null if there is none.
std::unique_ptr<Block> next_block(BIO& input) {
  char* label = nullptr;
  char* header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;
  if (PEM_read_bio(&input, &label, &header, &data, &size) != 1) return nullptr;
  const std::unique_ptr<char, Free> owned_label(label);
  const std::unique_ptr<char, Free> owned_header(header);
  const std::unique_ptr<unsigned char, Free> owned_data(data);
  auto block = std::make_unique<Block>();
  block->label = label;
  const unsigned char* begin = data;
  const std::unique_ptr<X509, Free> certificate(d2i_X509(nullptr, &begin, size));
  block->is_certificate = block->label == "CERTIFICATE" && certificate != nullptr;
  return block;
}

}  // namespace

std::string problem_with_ca_bundle(std::string_view pem) {
  const std::unique_ptr<BIO, Free> input(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  std::string_view why = "unable to parse bytes as PEM block";
  if (pem.empty()) return {};
  while (const auto block = next_block(*input)) {
    if (block->is_certificate) return {};
    why = block->label == "CERTIFICATE" ? "failed to parse certificate: x509: malformed certificate"
                                        : "no valid certificate authority data seen";
  }
  return fmt::format("unable to load root certificates: {}", why);
}

}  // namespace dcm::apiserver
