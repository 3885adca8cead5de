// Where black-box tests find programs and write logs.
#pragma once

#include <string>

namespace dcm::support {

// A program of this build, by its target's name: beside the running one.
std::string binary(const std::string& target);
// test/controlplane/controlplane
std::string controlplane();
// build/logs, created if missing.
std::string log_dir();
// The text of a file, "" if there is none.
std::string read_file(const std::string& name);

}  // namespace dcm::support
