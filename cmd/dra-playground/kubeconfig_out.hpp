// The kubeconfig that leads others to the API server in memory.
#pragma once

#include <string>

#include "runtime/error.hpp"

namespace dcm::playground {

// $XDG_STATE_HOME, or ~/.local/state, and so on.
std::string default_kubeconfig_path();

// A file that is there while this is: written at once and whole, removed with the object.
class KubeconfigOut {
 public:
  // Errors: configuration (no such folder, no permission).
  static runtime::Result<KubeconfigOut> write(const std::string& path, const std::string& url);
  KubeconfigOut(KubeconfigOut&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  KubeconfigOut& operator=(KubeconfigOut&&) = delete;
  ~KubeconfigOut();

  const std::string& path() const { return path_; }

 private:
  explicit KubeconfigOut(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace dcm::playground
