// Text from outside, made fit for a message: a name with a line break in it must not look like a
// line of its own, nor may a terminal take it for a command.
#pragma once

#include <string>

namespace dcm::runtime {

// Control characters become spaces.
std::string one_line(std::string text);

}  // namespace dcm::runtime
