// Warnings in the answer to a create, if nothing acts on the created object, and to an update that
// sets new alpha fields: kubectl shows them. Without them, users would wait forever.
#pragma once

#include <string>
#include <vector>

#include "apiserver/front/server.hpp"

namespace dcm::playground {

// What the playground handles itself, or by a program that it has started.
struct Attended {
  enum class By { playground, others };
  By scheduling = By::playground;
  By workloads = By::others;
};

// The warnings, in plain sentences; none for handled objects. For objects with a controller, only
// the warnings that their creator can act on: missing programs, and alpha fields of ResourceSlices.
std::vector<std::string> advise(const Attended& attended, const apiserver::ObjectWrite& made);

}  // namespace dcm::playground
