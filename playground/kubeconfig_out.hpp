// The kubeconfig that leads others to the API server in memory.
#pragma once

#include <string>

#include <sys/types.h>

#include "runtime/error.hpp"

namespace dcm::playground {

// $XDG_STATE_HOME, or ~/.local/state, and so on.
std::string default_kubeconfig_path();

// A file that is there while this is: written at once and whole, removed with the object. Anything
// else that has its name is neither replaced nor removed, nor is a link followed.
class KubeconfigOut {
 public:
  // A file that an earlier playground has left is replaced. Errors: configuration (something else
  // is there, no permission).
  static runtime::Result<KubeconfigOut> write(const std::string& path, const std::string& url);
  KubeconfigOut(KubeconfigOut&& other) noexcept
      : path_(std::move(other.path_)), device_(other.device_), inode_(other.inode_) {
    other.path_.clear();
  }
  KubeconfigOut& operator=(KubeconfigOut&&) = delete;
  ~KubeconfigOut();

  const std::string& path() const { return path_; }

 private:
  KubeconfigOut(std::string path, dev_t device, ino_t inode)
      : path_(std::move(path)), device_(device), inode_(inode) {}

  std::string path_;
  dev_t device_;  // with the inode: which file it is
  ino_t inode_;
};

}  // namespace dcm::playground
