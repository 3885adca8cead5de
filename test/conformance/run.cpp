#include "test/conformance/run.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "test/support/paths.hpp"

namespace dcm::conformance {

std::string Run::flags() const {
  std::string flags = server == ServerKind::memory ? "--server memory" : "--server real";
  if (manager == ManagerKind::reference) flags += " --manager reference";
  if (!version.empty()) flags += " --version " + version;
  return flags;
}

Run& run() {
  static Run instance;
  return instance;
}

std::string fresh_case_dir(const std::string& suite, const std::string& name) {
  const char* server = run().server == ServerKind::memory ? "memory" : "real";
  const char* manager = run().manager == ManagerKind::ours ? "ours" : "reference";
  const std::string dir =
      fmt::format("{}/conformance/{}-{}/{}.{}", support::log_dir(), server, manager, suite, name);
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  return dir;
}

}  // namespace dcm::conformance
