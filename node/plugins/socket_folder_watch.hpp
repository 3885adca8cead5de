// The folder in which plugins put their registration sockets, watched with all folders below it.
//
// A walk finds the sockets; inotify only tells when to walk, and which names were recreated. So the
// watch survives a queue overflow, and a registry that is deleted and recreated. Names that begin
// with a dot, and files other than sockets, are skipped. A link counts as its target.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/task.hpp"

namespace dcm::node {

class SocketFolderWatch {
 public:
  struct Change {
    std::vector<std::string> removed = {};
    std::vector<std::string> created = {};  // a recreated socket is in both
    // Why a folder is not watched, or one below not listed, so that its sockets are as before: look
    // again soon. Empty: there is no such folder.
    std::string problem = {};

    friend bool operator==(const Change&, const Change&) = default;
  };

  SocketFolderWatch(runtime::Executor executor, std::string folder);
  ~SocketFolderWatch();

  // Creates the folder (0755) if missing, and returns changes since the last call. Errors:
  // configuration, with the system's message; the next call tries again.
  runtime::Result<Change> look();
  // When the status of a socket was last changed, in nanoseconds; 0 if there is none.
  std::int64_t changed_at(const std::string& path) const;
  // Waits until look() may find changes. Call after a successful look().
  runtime::Task<> wait();

 private:
  struct Inotify;
  struct Identity {
    std::uint64_t device;
    std::uint64_t inode;
    std::int64_t changed;  // the last change of its status

    friend bool operator==(const Identity&, const Identity&) = default;
  };
  using Sockets = std::map<std::string, Identity>;

  // Returns the error of listing the folder; 0: none.
  int walk(const std::string& folder, Sockets& found, std::string& problem);
  void walk_below(const std::string& folder, Sockets& found, std::string& problem);
  void read_events();
  bool is_another(const std::string& path, const Identity& before, const Identity& now) const;

  std::string folder_;
  Sockets known_;
  std::set<std::string> made_;  // names created since the last look
  bool has_missed_ = false;     // events were lost
  std::unique_ptr<Inotify> inotify_;
};

}  // namespace dcm::node
