#include "test/simulation/mutant.hpp"

#include <utility>

namespace {

std::string& chosen() {
  static std::string name;
  return name;
}

}  // namespace

bool dcm_mutant(const char* name) {
  return chosen() == name;
}

namespace dcm::simulation {

void set_mutant(std::string name) {
  chosen() = std::move(name);
}

}  // namespace dcm::simulation
