#include "node/plugins/socket_folder_watch.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/posix_files.hpp"

namespace dcm::node {

using runtime::Result;
using runtime::Task;
namespace fs = std::filesystem;

namespace {

// Avoids the virtual call of an error category: UBSan inspects its object through a pipe, and there
// may be no descriptor for that.
std::string describe(const std::string& what, int error) {
  return what + ": " + ::strerrordesc_np(error);
}

}  // namespace

struct SocketFolderWatch::Inotify {
  explicit Inotify(const runtime::Executor& executor) : descriptor(executor) {}

  // The system limits watches; so it retries until it gets one.
  Result<> open() {
    if (descriptor.is_open()) return {};
    const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd < 0) {
      return runtime::fail(runtime::Reason::configuration, describe("inotify", errno));
    }
    descriptor.assign(fd);
    return {};
  }

  // Returns the system's error; 0: none.
  int watch(const std::string& folder) {
    const int watch = ::inotify_add_watch(
        descriptor.native_handle(), folder.c_str(),
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF);
    if (watch < 0) return errno;
    folders[watch] = folder;
    return 0;
  }

  boost::asio::posix::stream_descriptor descriptor;
  std::map<int, std::string> folders;
};

SocketFolderWatch::SocketFolderWatch(runtime::Executor executor, std::string folder)
    : folder_(std::move(folder)), inotify_(std::make_unique<Inotify>(executor)) {}

SocketFolderWatch::~SocketFolderWatch() = default;

// Watched before it is listed: changes in between are seen twice rather than missed.
int SocketFolderWatch::walk(const std::string& folder, Sockets& found, std::string& problem) {
  const int unwatched = inotify_->watch(folder);
  const bool is_there = unwatched != ENOENT;
  if (unwatched != 0 && is_there && problem.empty()) problem = describe(folder, unwatched);
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (entry->path().filename().string().starts_with('.')) continue;
    std::error_code gone;
    if (entry->symlink_status(gone).type() == fs::file_type::directory) {
      walk_below(path, found, problem);
      continue;
    }
    struct ::stat status{};
    if (::stat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) continue;
    found[path] = {status.st_dev, status.st_ino,
                   status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec};
  }
  return error.value();
}

void SocketFolderWatch::walk_below(const std::string& folder, Sockets& found,
                                   std::string& problem) {
  const int error = walk(folder, found, problem);
  if (error == 0 || error == ENOENT) return;
  if (problem.empty()) problem = describe(folder, error);
  for (const auto& socket : known_) {
    if (socket.first.starts_with(folder + '/')) found.insert(socket);
  }
}

std::int64_t SocketFolderWatch::changed_at(const std::string& path) const {
  const auto found = known_.find(path);
  return found == known_.end() ? 0 : found->second.changed;
}

// The time identifies a reused inode, but changes with permissions as well.
bool SocketFolderWatch::is_another(const std::string& path, const Identity& before,
                                   const Identity& now) const {
  if (before == now) return false;
  const bool is_same_inode = before.device == now.device && before.inode == now.inode;
  return !is_same_inode || has_missed_ || made_.contains(path);
}

Result<SocketFolderWatch::Change> SocketFolderWatch::look() {
  if (auto made = PosixFiles::make_folders(folder_); !made) return runtime::fail(made.error());
  if (auto opened = inotify_->open(); !opened) return runtime::fail(opened.error());
  read_events();
  Sockets found;
  Change change;
  if (const int error = walk(folder_, found, change.problem); error != 0) {
    return runtime::fail(runtime::Reason::configuration, describe(folder_, error));
  }
  for (const auto& [path, identity] : known_) {
    const auto now = found.find(path);
    if (now == found.end() || is_another(path, identity, now->second)) {
      change.removed.push_back(path);
    }
  }
  for (const auto& [path, identity] : found) {
    const auto before = known_.find(path);
    if (before == known_.end() || is_another(path, before->second, identity)) {
      change.created.push_back(path);
    }
  }
  known_ = std::move(found);
  made_.clear();
  has_missed_ = false;
  return change;
}

Task<> SocketFolderWatch::wait() {
  co_await inotify_->descriptor.async_wait(boost::asio::posix::descriptor_base::wait_read,
                                           boost::asio::use_awaitable);
}

void SocketFolderWatch::read_events() {
  alignas(inotify_event) std::array<char, 64 * 1024> buffer;
  while (true) {
    const ssize_t got = ::read(inotify_->descriptor.native_handle(), buffer.data(), buffer.size());
    if (got <= 0) return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const char* name = buffer.data() + at + sizeof(event);
      at += sizeof(event) + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) has_missed_ = true;
      if ((event.mask & (IN_CREATE | IN_MOVED_TO)) != 0 && event.len > 0) {
        made_.insert(inotify_->folders[event.wd] + '/' + name);
      }
      if ((event.mask & IN_IGNORED) != 0) inotify_->folders.erase(event.wd);
    }
  }
}

}  // namespace dcm::node
