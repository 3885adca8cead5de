// A folder of a test's own, removed with all its content.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace dcm::test {

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

}  // namespace dcm::test
