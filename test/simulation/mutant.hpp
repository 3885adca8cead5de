// Whether a mutation is enabled, in a build of mutations.py; the product itself has no mutations.
#pragma once

#include <string>

// Called by the mutated sources, which declare it themselves.
bool dcm_mutant(const char* name);

namespace dcm::simulation {

// At most one at a time; "": none.
void set_mutant(std::string name);

}  // namespace dcm::simulation
