#include "test/support/certificates.hpp"

#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

namespace dcm::test {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

void require(bool done) {
  if (!done) throw std::runtime_error("OpenSSL cannot make a test certificate");
}

Key make_key(unsigned rsa_bits = 0) {
  return Key(rsa_bits == 0 ? EVP_EC_gen("P-256") : EVP_RSA_gen(rsa_bits), &EVP_PKEY_free);
}

// Also an empty text, which MBSTRING_UTF8 would refuse.
void add_to_subject(X509* certificate, const char* field, const std::string& text) {
  require(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), field, V_ASN1_UTF8STRING,
                                     reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1,
                                     0) == 1);
}

Certificate make_certificate(const std::vector<std::string>& common_names, EVP_PKEY* key,
                             int from_days, int to_days) {
  constexpr long kDay = 24L * 60 * 60;
  Certificate made(X509_new(), &X509_free);
  std::uint64_t serial = 0;
  require(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1);
  require(ASN1_INTEGER_set_uint64(X509_get_serialNumber(made.get()), serial >> 1) == 1);
  require(X509_set_version(made.get(), X509_VERSION_3) == 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), from_days * kDay);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), to_days * kDay);
  for (const auto& name : common_names) add_to_subject(made.get(), "CN", name);
  require(X509_set_pubkey(made.get(), key) == 1);
  return made;
}

void add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  require(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

std::string text_of(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()), &BIO_free);
  require(PEM_write_bio_X509(bio.get(), certificate) == 1);
  return text_of(bio);
}

std::string pem_of(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()), &BIO_free);
  require(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return text_of(bio);
}

std::string subject_alternatives(const CertificateWishes& wishes) {
  std::string list;
  for (const auto& name : wishes.names) list += (list.empty() ? "DNS:" : ",DNS:") + name;
  for (const auto& address : wishes.addresses) list += (list.empty() ? "IP:" : ",IP:") + address;
  return list;
}

}  // namespace

struct CertificateAuthority::Impl {
  Key key{nullptr, &EVP_PKEY_free};
  Certificate certificate{nullptr, &X509_free};
};

CertificateAuthority::CertificateAuthority(const std::string& name)
    : impl_(std::make_unique<Impl>()) {
  impl_->key = make_key();
  impl_->certificate = make_certificate({name}, impl_->key.get(), -1000, 1000);
  X509* const own = impl_->certificate.get();
  X509_set_issuer_name(own, X509_get_subject_name(own));
  add_extension(own, own, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(own, own, NID_key_usage, "critical,keyCertSign");
  add_extension(own, own, NID_subject_key_identifier, "hash");
  require(X509_sign(own, impl_->key.get(), EVP_sha256()) > 0);
}

CertificateAuthority::~CertificateAuthority() = default;

Identity CertificateAuthority::issue(const CertificateWishes& wishes) const {
  const Key key = make_key(wishes.rsa_bits);
  const Certificate made = make_certificate(wishes.common_names, key.get(), wishes.valid_from_days,
                                            wishes.valid_to_days);
  for (const auto& organization : wishes.organizations)
    add_to_subject(made.get(), "O", organization);
  X509* const issuer = impl_->certificate.get();
  X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
  add_extension(made.get(), issuer, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(made.get(), issuer, NID_ext_key_usage, "serverAuth,clientAuth");
  const std::string alternatives = subject_alternatives(wishes);
  if (!alternatives.empty()) {
    add_extension(made.get(), issuer, NID_subject_alt_name, alternatives);
  }
  require(X509_sign(made.get(), impl_->key.get(), EVP_sha256()) > 0);
  return {pem_of(made.get()), pem_of(key.get())};
}

std::string CertificateAuthority::pem() const {
  return pem_of(impl_->certificate.get());
}

}  // namespace dcm::test
