// Calls a target with each file of its corpus, and with each of them cut short: a test that needs
// no libFuzzer.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "test/fuzz/fuzz.hpp"

namespace {

namespace fs = std::filesystem;

// So many of the prefixes of a file, however long it is.
constexpr std::size_t kPrefixes = 16;

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// In an order that does not depend on the file system.
std::vector<fs::path> files_in(const fs::path& path) {
  if (fs::is_regular_file(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

void replay(const std::string& input) {
  dcm::fuzz::run(input);
  const std::size_t step = std::max<std::size_t>(1, input.size() / kPrefixes);
  for (std::size_t length = 0; length < input.size(); length += step) {
    // A copy, so that a read behind its end is seen.
    dcm::fuzz::run(std::string(input, 0, length));
  }
}

}  // namespace

// replay FILE_OR_FOLDER…
int main(int argc, char** argv) {
  std::size_t count = 0;
  for (const char* path : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    for (const fs::path& file : files_in(path)) {
      // Seen when the next line is an abort.
      fmt::print(stderr, "{}\n", file.string());
      replay(read(file));
      ++count;
    }
  }
  fmt::print("{} files\n", count);
  return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
