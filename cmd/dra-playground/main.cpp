// From arguments to exit status.
#include <string>
#include <vector>

#include "playground/demo/demo.hpp"
#include "playground/options.hpp"
#include "playground/playground.hpp"
#include "playground/taint/taint.hpp"
#include "runtime/keyed_hash.hpp"

int main(int argc, char** argv) {
  using namespace dcm::playground;
  dcm::runtime::choose_hash_key();  // options may intern names
  const auto options = parse_options(std::vector<std::string>(argv + 1, argv + argc));
  if (!options) return dcm::options::print(options.error());
  const Options& chosen = *options;
  if (chosen.taint) return run_taint(*chosen.taint);
  if (chosen.demo) return run_demo(*chosen.demo);
  run_playground(chosen);
}
