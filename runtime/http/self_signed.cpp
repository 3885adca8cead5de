#include "runtime/http/self_signed.hpp"

#include <cstdint>
#include <memory>
#include <new>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

namespace dcm::http {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Extension = std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

constexpr long kHourSeconds = 60L * 60;
constexpr long kYearSeconds = 365L * 24 * kHourSeconds;

// For calls that fail only for lack of memory or entropy.
void require(bool done) {
  if (!done) throw std::bad_alloc();
}

void set_serial(X509* certificate) {
  std::uint64_t serial = 0;
  require(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1);
  // Positive, as RFC 5280 requires.
  require(ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1) == 1);
}

// Self-issued.
void set_name(X509* certificate, const std::string& name) {
  X509_NAME* const subject = X509_get_subject_name(certificate);
  require(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                                     reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1,
                                     0) == 1);
  require(X509_set_issuer_name(certificate, subject) == 1);
}

bool add_extension(X509* certificate, int kind, const std::string& value) {
  const Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()),
                            &X509_EXTENSION_free);
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

template <class Write>
std::string pem(Write write) {
  const Bio bio(BIO_new(BIO_s_mem()), &BIO_free);
  require(bio && write(bio.get()) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace

Result<TlsServerOptions> make_self_signed(const std::string& program, const std::string& host) {
  const Key key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const Certificate certificate(X509_new(), &X509_free);
  require(key && certificate);
  X509* const made = certificate.get();
  require(X509_set_version(made, X509_VERSION_3) == 1);
  set_serial(made);
  X509_gmtime_adj(X509_getm_notBefore(made), -kHourSeconds);
  X509_gmtime_adj(X509_getm_notAfter(made), kYearSeconds);
  // The subject's length is limited (RFC 5280, ub-common-name); clients check the names below.
  set_name(made, program);
  require(X509_set_pubkey(made, key.get()) == 1);
  require(add_extension(made, NID_ext_key_usage, "serverAuth"));
  if (!add_extension(made, NID_subject_alt_name,
                     fmt::format("DNS:{},DNS:localhost,IP:127.0.0.1", host))) {
    return runtime::fail(runtime::Reason::configuration,
                         fmt::format("\"{}\" cannot stand in a certificate", host));
  }
  require(X509_sign(made, key.get(), EVP_sha256()) > 0);
  const auto write_certificate = [&](BIO* bio) { return PEM_write_bio_X509(bio, made); };
  const auto write_key = [&](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  };
  TlsServerOptions options;
  options.certificate_pem = pem(write_certificate);
  options.key_pem = pem(write_key);
  return options;
}

}  // namespace dcm::http
