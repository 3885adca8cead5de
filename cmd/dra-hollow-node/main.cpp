// From arguments to exit status.
#include <string>
#include <vector>

#include "cmd/dra-hollow-node/hollow_node.hpp"
#include "runtime/keyed_hash.hpp"

int main(int argc, char** argv) {
  using namespace dcm;
  runtime::choose_hash_key();  // options may intern names
  const auto options = hollow_node::parse_options(std::vector<std::string>(argv + 1, argv + argc));
  if (!options) return dcm::options::print(options.error());
  return options->forget ? hollow_node::forget(*options) : hollow_node::run(*options);
}
