// The folder in which plugins put their registration sockets, watched with all folders below it.
//
// Walking finds the sockets; inotify only says when to walk, and which names were recreated. So
// the watch survives a queue that overflows, and a registry that is deleted and recreated.
// Skipped: names that begin with a dot, and all files that are no sockets. A link counts as its
// target.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/task.hpp"

namespace dcm::node {

class SocketFolderWatch {
 public:
  struct Change {
    std::vector<std::string> removed;
    std::vector<std::string> created;  // a socket made anew is in both

    friend bool operator==(const Change&, const Change&) = default;
  };

  SocketFolderWatch(runtime::Executor executor, std::string folder);
  ~SocketFolderWatch();

  // Makes the folder (0755) if it is not there, and says what has changed since it was last asked.
  // Errors: configuration, with the system's words; the next look tries again.
  runtime::Result<Change> look();
  // Until there may be something to look at. After a look that went well.
  runtime::Task<> wait();

 private:
  struct Inotify;
  // Device, inode and time of the last change of its state.
  using Identity = std::tuple<std::uint64_t, std::uint64_t, std::int64_t>;
  using Sockets = std::map<std::string, Identity>;

  void walk(const std::string& folder, Sockets& found);
  void read_events();
  bool is_another(const std::string& path, const Identity& before, const Identity& now) const;

  std::string folder_;
  Sockets known_;
  std::set<std::string> made_;  // names that were made since the last look
  bool has_missed_ = false;     // events were lost
  std::unique_ptr<Inotify> inotify_;
};

}  // namespace dcm::node
