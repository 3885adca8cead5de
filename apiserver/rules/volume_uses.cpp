#include "apiserver/rules/volume_uses.hpp"

#include <set>

#include "apiserver/rules/checks.hpp"

namespace dcm::apiserver {

namespace {

// A real server names the list in these causes, not the item.
void check_mount_propagation(const JsonObject& mount, bool is_privileged, const std::string& list,
                             Causes& causes) {
  const std::string_view propagation = text_at(mount, {"mountPropagation"});
  if (propagation == "Bidirectional" && !is_privileged) {
    causes.push_back(forbidden_value(
        list + ".mountPropagation",
        "Bidirectional mount propagation is available only to privileged containers"));
  } else if (!propagation.empty()) {
    validate_choice(propagation, {"Bidirectional", "HostToContainer", "None"},
                    list + ".mountPropagation", causes);
  }
  const std::string_view recursive = text_at(mount, {"recursiveReadOnly"});
  if (recursive.empty()) return;
  validate_choice(recursive, {"Disabled", "Enabled", "IfPossible"}, list + ".recursiveReadOnly",
                  causes);
}

void check_sub_path(std::string_view target, const std::string& path, Causes& causes) {
  if (target.starts_with('/')) {
    causes.push_back(invalid_value(path, Json(target), "must be a relative path"));
  }
  if (goes_back(target))
    causes.push_back(invalid_value(path, Json(target), "must not contain '..'"));
}

void check_mount(const JsonObject& mount, const Volumes& volumes,
                 std::set<std::string_view>& targets, const std::string& path, Causes& causes) {
  require_text(mount, "name", path, causes);
  const std::string_view name = text_at(mount, {"name"});
  if (!volumes.contains(name)) causes.push_back(not_found_value(path + ".name", Json(name)));
  require_text(mount, "mountPath", path, causes);
  const std::string_view target = text_at(mount, {"mountPath"});
  if (!targets.insert(target).second) {
    causes.push_back(invalid_value(path + ".mountPath", Json(target), "must be unique"));
  }
  const std::string_view expression = text_at(mount, {"subPathExpr"});
  if (!expression.empty() && !text_at(mount, {"subPath"}).empty()) {
    causes.push_back(invalid_value(path + ".subPathExpr", Json(expression),
                                   "subPathExpr and subPath are mutually exclusive"));
  }
}

struct Seen {
  std::set<std::string_view> names = {};
  std::set<std::string_view> paths = {};
};

void check_device(const JsonObject& device, const Volumes& volumes, Seen& seen,
                  const std::string& path, Causes& causes) {
  require_text(device, "name", path, causes);
  const std::string_view name = text_at(device, {"name"});
  const auto found = volumes.find(name);
  if (!seen.names.insert(name).second) {
    causes.push_back(invalid_value(path + ".name", Json(name), "must be unique"));
  }
  if (found == volumes.end()) {
    causes.push_back(not_found_value(path + ".name", Json(name)));
  } else if (found->second == VolumeModes::filesystem) {
    causes.push_back(invalid_value(path + ".name", Json(name),
                                   "can only use volume source type of PersistentVolumeClaim or "
                                   "Ephemeral for block mode"));
  }
  require_text(device, "devicePath", path, causes);
  const std::string_view target = text_at(device, {"devicePath"});
  if (target.empty() || seen.paths.insert(target).second) return;
  causes.push_back(invalid_value(path + ".devicePath", Json(target), "must be unique"));
}

}  // namespace

void validate_volume_uses(const JsonObject& container, const Volumes& volumes,
                          const std::string& path, Causes& causes) {
  const bool is_privileged = has_true(object_at(container, {"securityContext"}), "privileged");
  const std::string mounts = path + ".volumeMounts";
  std::set<std::string_view> targets;
  for (const auto& [mount, at] : with_paths(array_at(container, {"volumeMounts"}), mounts)) {
    check_mount(mount, volumes, targets, at, causes);
    for (const auto* key : {"subPath", "subPathExpr"}) {
      check_sub_path(text_at(mount, {key}), mounts + "." + key, causes);
    }
    check_mount_propagation(mount, is_privileged, mounts, causes);
  }
  Seen seen;
  const JsonArray& devices = array_at(container, {"volumeDevices"});
  for (const auto& [device, at] : with_paths(devices, path + ".volumeDevices")) {
    check_device(device, volumes, seen, at, causes);
  }
}

}  // namespace dcm::apiserver
