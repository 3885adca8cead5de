// Certificates for tests, created on demand: files in a repository would expire.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace dcm::test {

struct Identity {
  std::string certificate_pem;
  std::string key_pem;
};

struct CertificateWishes {
  std::vector<std::string> names = {};      // DNS SANs
  std::vector<std::string> addresses = {};  // IP SANs
  int valid_from_days = -1;                 // relative to today
  int valid_to_days = 1;
  unsigned rsa_bits = 0;  // 0: a P-256 key
  std::vector<std::string> common_names = {"test"};
  std::vector<std::string> organizations = {};
};

class CertificateAuthority {
 public:
  explicit CertificateAuthority(const std::string& name);
  ~CertificateAuthority();

  // Issues a certificate for servers and clients, with its own key.
  Identity issue(const CertificateWishes& wishes) const;
  // The CA's own certificate.
  std::string pem() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dcm::test
