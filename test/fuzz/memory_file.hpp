// An input as a file, for readers that need one; it leaves nothing behind.
#pragma once

#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : descriptor_(::memfd_create("input", 0)) {
    expect(::write(descriptor_, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
           "the input can be written");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace dcm::fuzz
