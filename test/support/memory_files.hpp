// In-memory files that can fail at each operation, and lose data that was not fsynced.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "node/files.hpp"

namespace dcm::test {

class MemoryFiles final : public node::Files {
 public:
  // Called before each operation, with its name and path. May throw (the process dies there), or
  // return an error, which the operation returns: then a create has written half of the file.
  using Step = std::function<runtime::Result<>(std::string_view, const std::string&)>;

  // Whether unsynced names still exist after a failure: both may happen.
  enum class UnsyncedNames { lost, kept };

  void set_step(Step step) { step_ = std::move(step); }
  // The machine crashes: unsynced data is lost.
  void fail_machine(UnsyncedNames names);
  // Bypasses the steps, for tests.
  void put(const std::string& path, std::string content);
  std::string content_of(const std::string& path) const;
  const auto& names() const { return names_; }

  runtime::Result<std::optional<std::string>> read(const std::string& path) override;
  using node::Files::create;
  runtime::Result<> create(const std::string& path, std::string_view content,
                           node::Readers readers) override;
  runtime::Result<> sync(const std::string& path) override;
  runtime::Result<> rename(const std::string& from, const std::string& to) override;
  runtime::Result<> sync_folder(const std::string& folder) override;
  runtime::Result<> remove(const std::string& path) override;
  // Folders are created on demand.
  runtime::Result<> make_folder(const std::string& path) override;
  runtime::Result<> remove_folder(const std::string& path) override;
  runtime::Result<std::vector<std::string>> list(const std::string& folder) override;

 private:
  struct File {
    std::string content;
    std::string synced;
  };
  using Names = std::map<std::string, std::shared_ptr<File>>;

  runtime::Result<> step(std::string_view operation, const std::string& path);

  Step step_;
  Names names_;
  Names synced_names_;
};

}  // namespace dcm::test
