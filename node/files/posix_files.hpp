// Files of the machine.
#pragma once

#include <cstddef>

#include "node/files/files.hpp"

namespace dcm::node {

// A checkpoint of 1,000 claims has 400 KB.
inline constexpr std::size_t kFileBytesMax = std::size_t{64} << 20;

class PosixFiles final : public Files {
 public:
  runtime::Result<std::optional<std::string>> read(const std::string& path) override;
  runtime::Result<> create(const std::string& path, std::string_view content) override;
  runtime::Result<> sync(const std::string& path) override;
  runtime::Result<> rename(const std::string& from, const std::string& to) override;
  runtime::Result<> sync_folder(const std::string& folder) override;
  runtime::Result<> remove(const std::string& path) override;
  runtime::Result<std::vector<std::string>> list(const std::string& folder) override;
};

}  // namespace dcm::node
