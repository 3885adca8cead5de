// Files of the machine.
#pragma once

#include "node/files.hpp"

namespace dcm::node {

class PosixFiles final : public Files {
 public:
  // 0755, with all parent folders; existing ones stay unchanged. Only for configured paths.
  static runtime::Result<> make_folders(const std::string& path);

  runtime::Result<std::optional<std::string>> read(const std::string& path) override;
  using Files::create;
  runtime::Result<> create(const std::string& path, std::string_view content,
                           Readers readers) override;
  runtime::Result<> sync(const std::string& path) override;
  runtime::Result<> rename(const std::string& from, const std::string& to) override;
  runtime::Result<> sync_folder(const std::string& folder) override;
  runtime::Result<> remove(const std::string& path) override;
  runtime::Result<> make_folder(const std::string& path) override;
  runtime::Result<> remove_folder(const std::string& path) override;
  runtime::Result<std::vector<std::string>> list(const std::string& folder) override;
};

}  // namespace dcm::node
