#include "node/checkpoint/store.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dcm::node {
namespace {

using runtime::fail;
using runtime::Result;

constexpr std::string_view kTemporary = ".dra_manager_state-";
constexpr std::string_view kRebuilding = ".rebuilding";

std::unexpected<runtime::Error> unusable(std::string why) {
  if (why.ends_with('.')) why.pop_back();
  return fail(
      runtime::Reason::malformed,
      why + "; drain the node and remove the file, or start with --on-corrupt-state=rebuild");
}

}  // namespace

CheckpointStore::CheckpointStore(Files& files, std::string folder, runtime::Rng rng)
    : files_(files), folder_(std::move(folder)), rng_(rng) {}

std::string CheckpointStore::path() const {
  return fmt::format("{}/{}", folder_, kCheckpointFile);
}

Result<std::vector<Entry>> CheckpointStore::open() {
  if (const auto removed = remove_leftovers(); !removed) return fail(removed.error());
  const auto file = files_.read(path());
  if (!file) return unusable(file.error().message);
  if (!*file) {
    if (auto made = replace(encode_checkpoint({}, NoEntries::null)); !made) {
      return fail(made.error());
    }
    return std::vector<Entry>();
  }
  auto entries = decode_checkpoint(**file);
  if (!entries) return unusable(fmt::format("{}: {}", path(), entries.error().message));
  return entries;
}

Result<> CheckpointStore::write(const std::vector<Entry>& entries) {
  return replace(encode_checkpoint(entries));
}

Result<std::string> CheckpointStore::set_aside(runtime::WallTime now) {
  const auto names = files_.list(folder_);
  if (!names) return fail(names.error());
  auto second = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  const auto is_taken = [&](std::int64_t at) {
    const std::string name = fmt::format("{}.corrupt-{}", kCheckpointFile, at);
    return std::ranges::any_of(*names, [&](const auto& other) { return other.starts_with(name); });
  };
  while (is_taken(second)) ++second;  // an earlier file set aside is not replaced
  const std::string kept = fmt::format("{}.corrupt-{}{}", path(), second, kRebuilding);
  if (auto renamed = files_.rename(path(), kept); !renamed) return fail(renamed.error());
  if (auto synced = files_.sync_folder(folder_); !synced) return fail(synced.error());
  return kept;
}

Result<std::vector<std::string>> CheckpointStore::rebuilding() {
  auto names = files_.list(folder_);
  if (names) {
    std::erase_if(*names, [](const std::string& name) {
      return !name.starts_with(kCheckpointFile) || !name.ends_with(kRebuilding);
    });
  }
  return names;
}

Result<bool> CheckpointStore::is_rebuilding() {
  const auto names = rebuilding();
  if (!names) return fail(names.error());
  return !names->empty();
}

Result<> CheckpointStore::end_rebuilding() {
  const auto names = rebuilding();
  if (!names) return fail(names.error());
  for (const std::string& name : *names) {
    const std::string from = folder_ + '/' + name;
    const std::string to = from.substr(0, from.size() - kRebuilding.size());
    if (auto renamed = files_.rename(from, to); !renamed) return renamed;
  }
  return files_.sync_folder(folder_);
}

// Without the last step, the old file may reappear after a machine crash, although a driver was
// called because of the new one.
Result<> CheckpointStore::replace(const std::string& content) {
  const std::string temporary = fmt::format("{}/{}{:016x}", folder_, kTemporary, rng_.next());
  if (auto written = write_through(temporary, content); !written) {
    // A leftover file is removed at the next start.
    [[maybe_unused]] const auto removed = files_.remove(temporary);
    return written;
  }
  return files_.sync_folder(folder_);
}

Result<> CheckpointStore::write_through(const std::string& temporary, const std::string& content) {
  if (auto made = files_.create(temporary, content); !made) return made;
  if (auto synced = files_.sync(temporary); !synced) return synced;
  return files_.rename(temporary, path());
}

Result<> CheckpointStore::remove_leftovers() {
  const auto names = files_.list(folder_);
  if (!names) return fail(names.error());
  for (const std::string& name : *names) {
    if (!name.starts_with(kTemporary)) continue;
    // A leftover that stays is harmless: each write uses a new name.
    [[maybe_unused]] const auto removed = files_.remove(folder_ + '/' + name);
  }
  return {};
}

}  // namespace dcm::node
