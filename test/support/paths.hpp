// Where black-box tests find programs and leave logs.
#pragma once

#include <string>

namespace dcm::support {

// A program of this build, by the name of its target: beside the running one.
std::string binary(const std::string& target);
// test/controlplane/controlplane
std::string controlplane();
// build/logs, made where it is missing.
std::string log_dir();
// The text of a file, "" where there is none.
std::string read_file(const std::string& name);

}  // namespace dcm::support
