#include "runtime/file_descriptor.hpp"

#include <array>
#include <cerrno>

namespace dcm::runtime {

std::expected<std::string, int> read_all(const FileDescriptor& file, std::size_t bytes_max) {
  std::string content;
  std::array<char, 16384> buffer;
  while (true) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::unexpected(errno);
    if (count == 0) return content;
    content.append(buffer.data(), static_cast<std::size_t>(count));
    if (content.size() > bytes_max) return std::unexpected(EFBIG);
  }
}

}  // namespace dcm::runtime
