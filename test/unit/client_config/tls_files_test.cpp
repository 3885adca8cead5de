#include "client/config/tls_files.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/client_config/files.hpp"

namespace dcm::client {
namespace {

class TlsFilesTest : public FilesTest {
 protected:
  TlsFilesTest() {
    config_.ca.file = write("ca.crt", "first\n" + kCertificatePem);
    config_.client_certificate.file = write("client.crt", kCertificatePem);
    config_.client_key.file = write("client.key", kKeyPem);
  }
  // Like cert-manager and kubelet: a new file under the old name.
  void replace(const std::string& name, const std::string& content) {
    write(name + ".new", content);
    std::filesystem::rename(path(name + ".new"), path(name));
  }

  ClusterConfig config_;
};

TEST_F(TlsFilesTest, reads_options_from_files) {
  config_.tls_server_name = "api.internal";
  config_.verification = http::Verification::none;
  const auto options = read_tls_options(config_);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->ca_pem, "first\n" + kCertificatePem);
  EXPECT_EQ(options->certificate_pem, kCertificatePem);
  EXPECT_EQ(options->key_pem, kKeyPem);
  EXPECT_EQ(options->server_name, "api.internal");
  EXPECT_EQ(options->verification, http::Verification::none);
}

TEST_F(TlsFilesTest, needs_no_file_for_data) {
  ClusterConfig config;
  config.ca.data = kCertificatePem;
  TlsFiles files(config);
  const auto options = files.read_if_changed();
  ASSERT_TRUE(options && *options);
  EXPECT_EQ((*options)->ca_pem, kCertificatePem);
  EXPECT_EQ((*options)->key_pem, "");
  EXPECT_FALSE(files.read_if_changed().value());
}

TEST_F(TlsFilesTest, names_missing_or_invalid_file) {
  write("client.key", "SECRET");
  EXPECT_EQ(read_tls_options(config_).error().message,
            path("client.key") + ": does not hold a private key in PEM");
  std::filesystem::remove(path("ca.crt"));
  EXPECT_EQ(read_tls_options(config_).error().message,
            path("ca.crt") + ": cannot be read: No such file or directory");
}

TEST_F(TlsFilesTest, reads_files_once_and_after_changes) {
  TlsFiles files(config_);
  EXPECT_TRUE(files.read_if_changed().value());
  EXPECT_FALSE(files.read_if_changed().value());
  replace("ca.crt", "other\n" + kCertificatePem);  // of the same size
  const auto options = files.read_if_changed();
  ASSERT_TRUE(options && *options);
  EXPECT_EQ((*options)->ca_pem, "other\n" + kCertificatePem);
  EXPECT_FALSE(files.read_if_changed().value());
}

TEST_F(TlsFilesTest, watches_all_three_files) {
  TlsFiles files(config_);
  EXPECT_TRUE(files.read_if_changed().value());
  replace("client.crt", kCertificatePem);
  EXPECT_TRUE(files.read_if_changed().value());
  replace("client.key", kKeyPem);
  EXPECT_TRUE(files.read_if_changed().value());
}

TEST_F(TlsFilesTest, detects_swapped_symlink) {
  write("v1/ca.crt", "1\n" + kCertificatePem);
  write("v2/ca.crt", "2\n" + kCertificatePem);
  std::filesystem::create_directory_symlink("v1", path("data"));
  config_.ca.file = path("data/ca.crt");
  TlsFiles files(config_);
  EXPECT_TRUE(files.read_if_changed().value());
  std::filesystem::remove(path("data"));
  std::filesystem::create_directory_symlink("v2", path("data"));
  const auto options = files.read_if_changed();
  ASSERT_TRUE(options && *options);
  EXPECT_EQ((*options)->ca_pem, "2\n" + kCertificatePem);
}

TEST_F(TlsFilesTest, retries_until_error_is_fixed) {
  TlsFiles files(config_);
  EXPECT_TRUE(files.read_if_changed().value());
  replace("client.key", "");
  EXPECT_FALSE(files.read_if_changed());
  EXPECT_FALSE(files.read_if_changed());
  replace("client.key", kKeyPem);
  EXPECT_TRUE(files.read_if_changed().value());
}

}  // namespace
}  // namespace dcm::client
