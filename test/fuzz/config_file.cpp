// The file named by --config. An error is one line that begins with the file; valid options,
// written as a file, parse to the same.
#include "cmd/dra-controller-manager/options.hpp"
#include "test/fuzz/fuzz.hpp"
#include "test/fuzz/memory_file.hpp"

namespace dcm::fuzz {

void run(std::string_view input) {
  const MemoryFile file(input);
  const auto options = dra_manager::parse_options({"--config=" + file.path()});
  if (!options) {
    const std::string& message = options.error().text;
    expect(options.error().status == 2, "it is a mistake in the file", message);
    expect_readable(message);
    expect(message.starts_with("dra-controller-manager: " + file.path()),
           "a message begins with the file", message);
    return;
  }
  const MemoryFile written(options->configuration);
  const auto again = dra_manager::parse_options({"--config=" + written.path()});
  expect(again.has_value(), "what holds can be written as a file",
         again ? "" : options->configuration + "\n" + again.error().text);
  expect_equal(options->configuration, again->configuration,
               "a configuration reads the same again");
}

}  // namespace dcm::fuzz
