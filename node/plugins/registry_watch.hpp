// The folder in which plugins put their registration sockets, watched with all folders below it.
//
// What is there is found by walking; inotify only says when to walk, and which names were made
// anew. So neither a queue that overflows nor a registry that is deleted and made anew leaves it
// blind. Skipped: names that begin with a dot, and what is no socket. A link counts as what it
// leads to.
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

class RegistryWatch {
 public:
  struct Change {
    std::vector<std::string> removed;
    std::vector<std::string> created;  // a socket made anew is in both

    friend bool operator==(const Change&, const Change&) = default;
  };

  RegistryWatch(runtime::Executor executor, std::string folder);
  ~RegistryWatch();

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

  runtime::Result<> make_folder() const;
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
