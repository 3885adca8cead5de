#include "test/conformance/run.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "test/support/paths.hpp"

namespace dcm::conformance {

std::string Run::command_for(const std::string& name) const {
  std::string command = "./dev conformance --server ";
  command += server == ServerKind::memory ? "memory" : "real";
  if (manager == ManagerKind::reference) command += " --manager reference";
  if (!version.empty()) command += " --version " + version;
  if (!format.empty()) command += " --format " + format;
  if (!http.empty()) command += " --http " + http;
  command += " " + name;
  if (!server_flags.empty()) command += " --";
  for (const std::string& flag : server_flags) command += " " + flag;
  return command;
}

Run& run() {
  static Run instance;
  return instance;
}

std::string fresh_case_dir(const std::string& suite, const std::string& name) {
  const std::string server =
      (run().server == ServerKind::memory ? "memory" : "real") + run().version;
  const char* manager = run().manager == ManagerKind::ours ? "ours" : "reference";
  const std::string dir =
      fmt::format("{}/conformance/{}-{}/{}.{}", support::log_dir(), server, manager, suite, name);
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  return dir;
}

}  // namespace dcm::conformance
