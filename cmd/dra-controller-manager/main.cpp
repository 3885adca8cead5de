// From arguments to exit status.
#include <string>
#include <vector>

#include "cmd/dra-controller-manager/commands.hpp"
#include "cmd/dra-controller-manager/manager.hpp"
#include "cmd/dra-controller-manager/options.hpp"
#include "runtime/keyed_hash.hpp"

int main(int argc, char** argv) {
  using namespace dcm::dra_manager;
  dcm::runtime::choose_hash_key();  // options intern names
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (const Command* const command = find_command(arguments)) {
    return command->run({arguments.begin() + 1, arguments.end()});
  }
  const auto options = parse_options(arguments);
  if (!options) return dcm::options::print(options.error());
  return run_manager(*options);
}
