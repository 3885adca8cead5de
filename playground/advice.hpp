// What the playground tells those who create an object that nothing acts on, in the answer to the
// create: kubectl shows it as a warning. Without that, they would wait for what never comes.
#pragma once

#include <string>
#include <vector>

#include "apiserver/front/server.hpp"

namespace dcm::playground {

// What the playground takes care of itself, or by a program that it has started.
struct Attended {
  enum class By { playground, others };
  By scheduling = By::playground;
  By workloads = By::others;
};

// The warnings, in plain sentences; none for what is attended to, or for what a controller makes.
std::vector<std::string> advise(const Attended& attended, const apiserver::Creation& made);

}  // namespace dcm::playground
