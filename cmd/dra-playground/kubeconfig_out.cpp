#include "cmd/dra-playground/kubeconfig_out.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace dcm::playground {
namespace {

namespace fs = std::filesystem;

std::string text_for(const std::string& url) {
  return "apiVersion: v1\n"
         "kind: Config\n"
         "clusters:\n"
         "  - name: playground\n"
         "    cluster:\n"
         "      server: " +
         url +
         "\n"
         "users:\n"
         "  - name: anybody\n"
         "    user: {}\n"
         "contexts:\n"
         "  - name: playground\n"
         "    context:\n"
         "      cluster: playground\n"
         "      user: anybody\n"
         "current-context: playground\n";
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

runtime::Result<> write_whole(const fs::path& path, const std::string& text) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  const fs::path draft = path.string() + ".new";
  std::ofstream file(draft);
  file << text;
  file.close();
  if (!file) {
    return runtime::fail(runtime::Reason::configuration, "cannot write " + draft.string());
  }
  fs::rename(draft, path, error);
  if (error) {
    return runtime::fail(runtime::Reason::configuration,
                         "cannot write " + path.string() + ": " + error.message());
  }
  return {};
}

}  // namespace

std::string default_kubeconfig_path() {
  std::string state = variable("XDG_STATE_HOME");
  if (state.empty()) state = variable("HOME") + "/.local/state";
  return state + "/dra-controller-manager/playground/kubeconfig";
}

runtime::Result<KubeconfigOut> KubeconfigOut::write(const std::string& path,
                                                    const std::string& url) {
  const fs::path absolute = fs::absolute(path);
  if (auto written = write_whole(absolute, text_for(url)); !written) {
    return runtime::fail(written.error());
  }
  return KubeconfigOut(absolute.string());
}

KubeconfigOut::~KubeconfigOut() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace dcm::playground
