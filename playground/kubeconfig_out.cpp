#include "playground/kubeconfig_out.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/front/kubeconfig.hpp"
#include "client/config/file.hpp"
#include "runtime/ascii.hpp"
#include "runtime/process.hpp"

namespace dcm::playground {
namespace {

namespace fs = std::filesystem;
using runtime::FileDescriptor;

std::string text_for(const std::string& url) {
  return apiserver::kubeconfig_text("playground", url);
}

std::unexpected<runtime::Error> refuse(const fs::path& path, const std::string& why) {
  return runtime::fail(runtime::Reason::configuration,
                       "cannot write " + path.string() + ": " + why);
}

std::unexpected<runtime::Error> refuse_by_errno(const fs::path& path) {
  return refuse(path, std::generic_category().message(errno));
}

// Identifies a playground's own file: this text, whatever its server is.
bool is_ours(const fs::path& path) {
  const auto text = client::read_regular_file(path.string());
  if (!text) return false;
  constexpr std::string_view kServer = "server: ";
  const std::size_t begin = std::min(text->find(kServer), text->size());
  const std::string_view line =
      std::string_view(*text).substr(begin).substr(0, text->find('\n', begin) - begin);
  return line.starts_with(kServer) && *text == text_for(std::string(line.substr(kServer.size())));
}

struct Draft {
  std::string name;
  FileDescriptor file;
};

bool lock(const FileDescriptor& file) {
  return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

// Written completely, and locked, under a name that no other user can predict.
runtime::Result<Draft> write_draft(const fs::path& path, const std::string& text) {
  std::string name = path.string() + ".XXXXXX";
  FileDescriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.get() < 0) return refuse_by_errno(path);
  const bool is_written =
      ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (is_written && lock(file)) return Draft{std::move(name), std::move(file)};
  ::unlink(name.c_str());
  return refuse(path, "the disk is full");
}

// Moves the draft into place, replacing only a file left by a killed playground.
runtime::Result<> publish(const std::string& draft, const fs::path& path) {
  if (::link(draft.c_str(), path.c_str()) == 0) {
    ::unlink(draft.c_str());
    return {};
  }
  if (errno != EEXIST) return refuse_by_errno(path);
  const auto status = fs::symlink_status(path);
  if (!fs::is_regular_file(status)) return refuse(path, "it exists and is not a regular file");
  if (!is_ours(path)) return refuse(path, "it exists and is not a playground's; remove it first");
  const FileDescriptor old(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!lock(old)) {
    return refuse(path, "another playground runs with it; name another with --kubeconfig-out");
  }
  return ::rename(draft.c_str(), path.c_str()) == 0 ? runtime::Result<>() : refuse_by_errno(path);
}

}  // namespace

std::string default_kubeconfig_path() {
  std::string state = runtime::environment_variable("XDG_STATE_HOME");
  if (state.empty()) state = runtime::environment_variable("HOME") + "/.local/state";
  return state + "/dra-controller-manager/playground/kubeconfig";
}

runtime::Result<KubeconfigOut> KubeconfigOut::write(const std::string& path,
                                                    const std::string& url) {
  const fs::path absolute = fs::absolute(path);
  std::error_code ignored;
  fs::create_directories(absolute.parent_path(), ignored);
  auto draft = write_draft(absolute, text_for(url));
  if (!draft) return runtime::fail(draft.error());
  struct stat made{};
  (void)::fstat(draft->file.get(), &made);
  if (auto published = publish(draft->name, absolute); !published) {
    ::unlink(draft->name.c_str());
    return runtime::fail(published.error());
  }
  return KubeconfigOut(absolute.string(), std::move(draft->file), made.st_dev, made.st_ino);
}

std::string KubeconfigOut::export_command() const {
  static constexpr std::string_view kPlain = "/._-+=:@%,";
  const auto is_plain = [](char c) {
    return runtime::is_alphanumeric(c) || kPlain.find(c) != std::string_view::npos;
  };
  if (std::ranges::all_of(path_, is_plain)) return "export KUBECONFIG=" + path_;
  std::string quoted;
  for (const char c : path_) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return "export KUBECONFIG='" + quoted + "'";
}

KubeconfigOut::~KubeconfigOut() {
  struct stat there{};
  if (path_.empty() || ::lstat(path_.c_str(), &there) != 0) return;
  if (there.st_dev == device_ && there.st_ino == inode_) ::unlink(path_.c_str());
}

}  // namespace dcm::playground
