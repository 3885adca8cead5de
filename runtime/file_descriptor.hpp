// An open file, as in POSIX.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <utility>

#include <unistd.h>

namespace dcm::runtime {

// Closes the file on destruction.
class FileDescriptor {
 public:
  // -1: none.
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

// Reads the rest of the file. Errors: errno, and EFBIG for more than `bytes_max`.
std::expected<std::string, int> read_all(const FileDescriptor& file, std::size_t bytes_max);

}  // namespace dcm::runtime
