#include "test/support/memory_files.hpp"

namespace dcm::test {

using runtime::fail;
using runtime::Reason;
using runtime::Result;

Result<> MemoryFiles::step(std::string_view operation, const std::string& path) {
  return step_ ? step_(operation, path) : Result<>();
}

void MemoryFiles::fail_machine(UnsyncedNames names) {
  if (names == UnsyncedNames::lost) names_ = synced_names_;
  for (auto& [path, file] : names_) file->content = file->synced;
  synced_names_ = names_;
}

void MemoryFiles::put(const std::string& path, std::string content) {
  names_[path] = std::make_shared<File>(File{content, content});
  synced_names_[path] = names_[path];
}

std::string MemoryFiles::content_of(const std::string& path) const {
  const auto found = names_.find(path);
  return found == names_.end() ? "(no file)" : found->second->content;
}

Result<std::optional<std::string>> MemoryFiles::read(const std::string& path) {
  if (auto stepped = step("read", path); !stepped) return fail(stepped.error());
  const auto found = names_.find(path);
  if (found == names_.end()) return std::optional<std::string>();
  return found->second->content;
}

Result<> MemoryFiles::create(const std::string& path, std::string_view content, node::Readers) {
  if (content.size() > node::kFileBytesMax)
    return fail(Reason::configuration, path + ": is too large");
  if (names_.contains(path)) return fail(Reason::configuration, path + ": is there already");
  names_[path] =
      std::make_shared<File>(File{std::string(content.substr(0, content.size() / 2)), {}});
  if (auto stepped = step("create", path); !stepped) return stepped;
  names_[path]->content = content;
  return {};
}

Result<> MemoryFiles::sync(const std::string& path) {
  if (auto stepped = step("sync", path); !stepped) return stepped;
  names_.at(path)->synced = names_.at(path)->content;
  return {};
}

Result<> MemoryFiles::rename(const std::string& from, const std::string& to) {
  if (auto stepped = step("rename", from); !stepped) return stepped;
  names_[to] = names_.at(from);
  names_.erase(from);
  return {};
}

Result<> MemoryFiles::sync_folder(const std::string& folder) {
  if (auto stepped = step("sync_folder", folder); !stepped) return stepped;
  synced_names_ = names_;
  return {};
}

Result<> MemoryFiles::remove(const std::string& path) {
  if (auto stepped = step("remove", path); !stepped) return stepped;
  names_.erase(path);
  return {};
}

Result<> MemoryFiles::make_folder(const std::string& path) {
  return step("make_folder", path);
}

Result<> MemoryFiles::remove_folder(const std::string& path) {
  return step("remove_folder", path);
}

Result<std::vector<std::string>> MemoryFiles::list(const std::string& folder) {
  if (auto stepped = step("list", folder); !stepped) return fail(stepped.error());
  std::vector<std::string> found;
  for (const auto& [path, file] : names_) {
    if (path.starts_with(folder + '/')) found.push_back(path.substr(folder.size() + 1));
  }
  return found;
}

}  // namespace dcm::test
