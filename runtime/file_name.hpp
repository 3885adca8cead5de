// The only way to put an untrusted name into a path.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/error.hpp"

namespace dcm::runtime {

inline constexpr std::size_t kFileNameBytesMax = 255;  // NAME_MAX of Linux

// One component of a path: it names a file in a folder, and never leads out of that folder.
// Invariant: not empty, at most 255 bytes, no slash and no control character, neither "." nor "..".
class FileName {
 public:
  // `what` says in the error what the name is: "pod UID". Errors: configuration.
  static Result<FileName> parse(std::string_view what, std::string_view name);

  const std::string& str() const noexcept { return name_; }
  std::string in(std::string_view folder) const { return std::string(folder) + '/' + name_; }

 private:
  explicit FileName(std::string_view name) : name_(name) {}
  std::string name_;
};

}  // namespace dcm::runtime
