// Calls a target with each file of its corpus, and with prefixes of each: a test without libFuzzer.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "test/fuzz/fuzz.hpp"

namespace {

namespace fs = std::filesystem;

// The number of prefixes of a file, whatever its length.
constexpr std::size_t kPrefixes = 16;

std::vector<char> read(const fs::path& file) {
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

// From an allocation of exactly its size, to detect reads past its end.
void run_exactly(std::span<const char> input) {
  const auto exact = std::make_unique<char[]>(input.size());
  std::ranges::copy(input, exact.get());
  dcm::fuzz::run({exact.get(), input.size()});
}

void replay(std::span<const char> input) {
  run_exactly(input);
  const std::size_t step = std::max<std::size_t>(1, input.size() / kPrefixes);
  for (std::size_t length = 0; length < input.size(); length += step) {
    run_exactly(input.first(length));
  }
}

}  // namespace

// replay FILE_OR_FOLDER…
int main(int argc, char** argv) {
  std::size_t count = 0;
  for (const char* path : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    for (const fs::path& file : files_in(path)) {
      // Shown if the next line is an abort.
      fmt::print(stderr, "{}\n", file.string());
      replay(read(file));
      ++count;
    }
  }
  fmt::print("{} files\n", count);
  return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
