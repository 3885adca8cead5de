#include "playground/cluster/shown_devices.hpp"

#include "runtime/file_name.hpp"

namespace dcm::playground {
namespace {

using runtime::fail;
using runtime::FileName;
using runtime::Result;

constexpr std::string_view kSuffix = ".json";

}  // namespace

Result<> ShownDevices::show(std::string_view pod_uid, std::string_view container,
                            std::string_view text) {
  const auto pod = FileName::parse("pod UID", pod_uid);
  if (!pod) return fail(pod.error());
  const auto name = FileName::parse("container", std::string(container).append(kSuffix));
  if (!name) return fail(name.error());
  const std::string folder = pod->in(folder_);
  if (auto made = files_.make_folder(folder); !made) return made;
  const std::string path = name->in(folder);
  if (auto removed = files_.remove(path); !removed) return removed;
  return files_.create(path, text);
}

Result<> ShownDevices::remove(std::string_view pod_uid) {
  const auto pod = FileName::parse("pod UID", pod_uid);
  if (!pod) return fail(pod.error());
  const std::string folder = pod->in(folder_);
  const auto names = files_.list(folder);
  if (!names) return fail(names.error());
  for (const std::string& listed : *names) {
    if (!listed.ends_with(kSuffix)) continue;
    const auto name = FileName::parse("file", listed);
    if (!name) continue;
    if (auto removed = files_.remove(name->in(folder)); !removed) return removed;
  }
  return files_.remove_folder(folder);
}

}  // namespace dcm::playground
