// A separate folder for each test, and an environment with only the given variables.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "client/config/config.hpp"
#include "runtime/base64.hpp"
#include "test/support/temp_folder.hpp"

namespace dcm::client {

inline const std::string kCertificatePem =
    "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
inline const std::string kKeyPem = "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n";

using test::TempFolder;

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
