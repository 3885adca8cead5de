// The checkpoint on disk: read once at the start, written whole and durably.
//
// After write() has returned well, the file survives a failure of the machine. After an error it is
// what it was, or already the new one if only the last step (fsync of the folder) failed.
#pragma once

#include <string>
#include <vector>

#include "node/checkpoint/codec.hpp"
#include "node/files.hpp"
#include "runtime/rng.hpp"
#include "runtime/time.hpp"

namespace dcm::node {

inline constexpr std::string_view kCheckpointFile = "dra_manager_state";

class CheckpointStore {
 public:
  // `files` must outlive the store.
  CheckpointStore(Files& files, std::string folder, runtime::Rng rng);

  // Removes what a crash has left, reads the file, and writes one without entries if there is none.
  // Errors: malformed (what is there cannot be used, and stays), configuration.
  runtime::Result<std::vector<Entry>> open();
  runtime::Result<> write(const std::vector<Entry>& entries);
  // Renames a file that cannot be used to `dra_manager_state.corrupt-TIME.rebuilding`, and returns
  // its path: open() begins without it.
  runtime::Result<std::string> set_aside(runtime::WallTime now);
  // Whether one was set aside whose entries are not back, by this process or one before it.
  runtime::Result<bool> is_rebuilding();
  // They are back: what was set aside loses the `.rebuilding` of its name.
  runtime::Result<> end_rebuilding();

 private:
  // Names of what was set aside.
  runtime::Result<std::vector<std::string>> rebuilding();
  runtime::Result<> remove_leftovers();
  runtime::Result<> replace(const std::string& content);
  runtime::Result<> write_through(const std::string& temporary, const std::string& content);
  std::string path() const;

  Files& files_;
  std::string folder_;
  runtime::Rng rng_;
};

}  // namespace dcm::node
