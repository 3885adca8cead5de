// The manager's command line, one argument per line. An error is one line; valid options, written
// as flags, parse to the same.
#include "cmd/dra-controller-manager/options.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const FirstLine first = split_first_line(text);
    all.emplace_back(first.line);
    text = first.rest;
  }
  return all;
}

// Flags that name a file to be read at once; config_file covers such files.
bool names_config(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument.starts_with("--config")) return true;
  }
  return false;
}

std::vector<std::string> written(const dra_manager::Options& options) {
  std::vector<std::string> flags;
  for (const dra_manager::Flag& flag : options.flags) {
    if (flag.name != "config") flags.push_back("--" + flag.name + "=" + flag.value);
  }
  return flags;
}

}  // namespace

void run(std::string_view input) {
  const std::vector<std::string> arguments = lines(input);
  if (names_config(arguments)) return;
  const auto options = dra_manager::parse_options(arguments);
  if (!options) {
    if (options.error().status != 0) expect_readable(options.error().text);
    return;
  }
  const auto again = dra_manager::parse_options(written(*options));
  expect(again.has_value(), "what holds can be written as flags", again ? "" : again.error().text);
  expect_equal(options->configuration, again->configuration, "flags read the same again");
}

}  // namespace dcm::fuzz
