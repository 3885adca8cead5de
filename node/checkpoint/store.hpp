// The checkpoint on disk: read once at the start, written whole and durably. After a successful
// write(), the file survives a machine crash. After an error it is unchanged, or already the new
// one if only the last step (fsync of the folder) failed.
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

  // Removes leftovers of a crash, reads the file, and creates one without entries if there is none.
  // Errors: malformed (the unusable file stays), configuration.
  runtime::Result<std::vector<Entry>> open();
  runtime::Result<> write(const std::vector<Entry>& entries);
  // Renames an unusable file to `dra_manager_state.corrupt-TIME.rebuilding`, and returns its path:
  // open() then starts without it.
  runtime::Result<std::string> set_aside(runtime::WallTime now);
  // Whether entries of a file that this process or an earlier one set aside are still missing.
  runtime::Result<bool> is_rebuilding();
  // All entries are rebuilt: removes `.rebuilding` from the names of files set aside.
  runtime::Result<> end_rebuilding();

 private:
  // Names of files set aside.
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
