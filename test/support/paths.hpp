// Where black-box tests find programs and write logs.
#pragma once

#include <string>

namespace dcm::support {

// The program of this build with that target's name, next to the running one.
std::string binary(const std::string& target);
// test/controlplane/controlplane
std::string controlplane();
// build/logs, created if missing.
std::string log_dir();
// The text of a file; "" if there is no such file.
std::string read_file(const std::string& name);

}  // namespace dcm::support
