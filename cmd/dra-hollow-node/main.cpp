// From arguments to exit status.
#include <cstdio>
#include <string>
#include <vector>

#include "cmd/dra-hollow-node/hollow_node.hpp"

int main(int argc, char** argv) {
  using namespace dcm;
  const auto options = hollow_node::parse_options(std::vector<std::string>(argv + 1, argv + argc));
  if (!options) {
    const playground::Exit& exit = options.error();
    std::fputs((exit.text + (exit.text.ends_with('\n') ? "" : "\n")).c_str(),
               exit.status == 0 ? stdout : stderr);
    return exit.status;
  }
  return options->forget ? hollow_node::forget(*options) : hollow_node::run(*options);
}
