// The node's file operations behind an interface: tests can fail the n-th operation, and lose
// writes that were not fsynced. Paths are absolute. Each function corresponds to one system call,
// so that each is a point where a process can die. Errors: configuration, with the path and the
// system's words; those that read() names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/error.hpp"

namespace dcm::node {

// A checkpoint of 1,000 claims has 400 KB.
inline constexpr std::size_t kFileBytesMax = std::size_t{64} << 20;

enum class Readers : std::uint8_t { owner, all };  // 0600, 0644

class Files {
 public:
  virtual ~Files() = default;

  // nullopt: there is no such file. Errors: malformed, if the path is not a regular file, or the
  // file is larger than create() allows; trying again does not help.
  virtual runtime::Result<std::optional<std::string>> read(const std::string& path) = 0;
  // Creates a file of at most kFileBytesMax, which must not exist yet.
  virtual runtime::Result<> create(const std::string& path, std::string_view content,
                                   Readers readers) = 0;
  runtime::Result<> create(const std::string& path, std::string_view content) {
    return create(path, content, Readers::owner);
  }
  // The file's content survives a machine crash. Its name does only after sync_folder.
  virtual runtime::Result<> sync(const std::string& path) = 0;
  virtual runtime::Result<> rename(const std::string& from, const std::string& to) = 0;
  virtual runtime::Result<> sync_folder(const std::string& folder) = 0;
  // Succeeds if the file does not exist, or if a folder has its name, which stays.
  virtual runtime::Result<> remove(const std::string& path) = 0;
  // Succeeds if the folder exists. Its parent must exist.
  virtual runtime::Result<> make_folder(const std::string& path) = 0;
  // Removes only an empty folder: nothing here removes recursively. Succeeds if there is none, or
  // if it holds files of others, with which it stays.
  virtual runtime::Result<> remove_folder(const std::string& path) = 0;
  // Names of the files in the folder, sorted; none if there is no such folder, or a file has its
  // name.
  virtual runtime::Result<std::vector<std::string>> list(const std::string& folder) = 0;
};

}  // namespace dcm::node
