// A separate folder for each test, and an environment with only the given variables.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "client/config/config.hpp"
#include "runtime/base64.hpp"

namespace dcm::client {

inline const std::string kCertificatePem =
    "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
inline const std::string kKeyPem = "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n";

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = ::testing::TempDir() + "dcm-XXXXXX";
    dir_ = ::mkdtemp(pattern.data());
  }
  ~TempFolder() { std::filesystem::remove_all(dir_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string dir() const { return dir_; }
  std::string path(const std::string& name) const { return dir_ / name; }

  // Returns the path.
  std::string write(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << content;
    return path(name);
  }

 private:
  std::filesystem::path dir_;
};

class FilesTest : public ::testing::Test, protected TempFolder {
 protected:
  FilesTest() {
    environment_.variable = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::nullopt : std::optional(found->second);
    };
    environment_.service_account_dir = path("serviceaccount");
  }

  runtime::Result<ClusterConfig> load(const ConfigOverrides& overrides = {}) const {
    return load_cluster_config(overrides, environment_);
  }

  std::map<std::string, std::string> variables_;
  Environment environment_;
};

}  // namespace dcm::client
