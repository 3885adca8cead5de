// The kubeconfig for other programs to use the in-memory API server.
#pragma once

#include <string>

#include <sys/types.h>

#include "runtime/error.hpp"
#include "runtime/file_descriptor.hpp"

namespace dcm::playground {

// $XDG_STATE_HOME, or ~/.local/state, and so on.
std::string default_kubeconfig_path();

// A file that exists as long as this object: written atomically, removed with the object. Anything
// else of that name is neither replaced nor removed, and links are not followed.
class KubeconfigOut {
 public:
  // A file left by a killed playground is replaced. Errors: configuration (something else is there,
  // the file of a playground that runs, no permission).
  static runtime::Result<KubeconfigOut> write(const std::string& path, const std::string& url);
  KubeconfigOut(KubeconfigOut&& other) noexcept
      : path_(std::move(other.path_)),
        file_(std::move(other.file_)),
        device_(other.device_),
        inode_(other.inode_) {
    other.path_.clear();
  }
  KubeconfigOut& operator=(KubeconfigOut&&) = delete;
  ~KubeconfigOut();

  const std::string& path() const { return path_; }
  // The command by which a POSIX shell uses the file.
  std::string export_command() const;

 private:
  KubeconfigOut(std::string path, runtime::FileDescriptor file, dev_t device, ino_t inode)
      : path_(std::move(path)), file_(std::move(file)), device_(device), inode_(inode) {}

  std::string path_;
  runtime::FileDescriptor file_;  // locked: the playground runs
  dev_t device_;                  // with the inode: which file it is
  ino_t inode_;
};

}  // namespace dcm::playground
