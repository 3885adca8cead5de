#include "runtime/file_name.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/one_line.hpp"

namespace dcm::runtime {
namespace {

constexpr std::size_t kQuotedBytesMax = 64;

// Null if the name is valid.
const char* problem_of(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name == "." || name == "..") return "names a folder";
  if (name.size() > kFileNameBytesMax) return "is longer than 255 bytes";
  if (name.contains('/')) return "contains a slash";
  const auto is_control = [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; };
  if (std::ranges::any_of(name, is_control)) return "contains a control character";
  return nullptr;
}

}  // namespace

Result<FileName> FileName::parse(std::string_view what, std::string_view name) {
  const char* const problem = problem_of(name);
  if (problem == nullptr) return FileName(name);
  return fail(Reason::configuration,
              fmt::format("{} \"{}\" cannot be a file name: it {}", what,
                          one_line(name.substr(0, kQuotedBytesMax)), problem));
}

}  // namespace dcm::runtime
