#include "test/support/paths.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace dcm::support {

std::string binary(const std::string& target) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / target;
}

std::string controlplane() {
  return std::string(DCM_SOURCE_DIR) + "/test/controlplane/controlplane";
}

std::string log_dir() {
  const std::string dir = std::string(DCM_SOURCE_DIR) + "/build/logs";
  std::filesystem::create_directories(dir);
  return dir;
}

std::string read_file(const std::string& name) {
  std::ifstream file(name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace dcm::support
