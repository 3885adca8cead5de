#include "apiserver/rules/volume_sources.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/device_names.hpp"
#include "apiserver/rules/metadata_rules.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::int64_t kFileModeMax = 0777;
constexpr std::int64_t kTokenLifeMin = 10 * 60;
constexpr std::int64_t kTokenLifeMax = std::int64_t{1} << 32;

bool is_one_of(std::initializer_list<std::string_view> texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

void check_file_mode(const JsonObject& object, const char* key, const std::string& path,
                     Causes& causes) {
  const auto mode = integer_at(object, {key});
  if (!mode || (*mode >= 0 && *mode <= kFileModeMax)) return;
  causes.push_back(invalid_value(path + "." + key, Json(*mode),
                                 "must be a number between 0 and 0777 (octal), both inclusive"));
}

// A path inside the volume, which may not start like kubelet's own files.
void check_local_path(std::string_view target, const std::string& path, Causes& causes) {
  const auto refuse = [&](std::string_view why) {
    causes.push_back(invalid_value(path, Json(target), why));
  };
  if (target.starts_with('/')) refuse("must be a relative path");
  if (goes_back(target)) refuse("must not contain '..'");
  if (target.starts_with("..") && !target.starts_with("../")) refuse("must not start with '..'");
}

void check_required_path(const JsonObject& object, const std::string& path, Causes& causes) {
  require_text(object, "path", path, causes);
  check_local_path(text_at(object, {"path"}), path + ".path", causes);
}

// A ConfigMap or a Secret: its name, and which keys become which files.
void check_keys(const JsonObject& source, const char* name, const std::string& path,
                Causes& causes) {
  require_text(source, name, path, causes);
  check_file_mode(source, "defaultMode", path, causes);
  for (const auto& [item, at] : with_paths(array_at(source, {"items"}), path + ".items")) {
    require_text(item, "key", at, causes);
    check_required_path(item, at, causes);
    check_file_mode(item, "mode", at, causes);
  }
}

void check_config_map(const JsonObject& source, const std::string& path, Causes& causes) {
  check_keys(source, "name", path, causes);
}

void check_secret(const JsonObject& source, const std::string& path, Causes& causes) {
  check_keys(source, "secretName", path, causes);
}

// Whether it names one label or annotation: `metadata.labels['app']`.
bool is_of_one_key(std::string_view field) {
  return (field.starts_with("metadata.labels['") || field.starts_with("metadata.annotations['")) &&
         field.ends_with("']");
}

void check_field_reference(const JsonObject& reference, const std::string& path, Causes& causes) {
  static constexpr std::initializer_list<std::string_view> kOfFiles = {
      "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace",
      "metadata.uid"};
  static constexpr std::initializer_list<std::string_view> kOfVariables = {
      "spec.host",          "spec.nodeName", "spec.restartPolicy", "spec.serviceAccountName",
      "spec.schedulerName", "status.phase",  "status.hostIP",      "status.hostIPs",
      "status.podIP",       "status.podIPs"};
  const std::string_view field = text_at(reference, {"fieldPath"});
  if (field.empty()) return causes.push_back(required_value(path + ".fieldPath"));
  if (is_of_one_key(field) || is_one_of(kOfFiles, field)) return;
  const std::string at = path + ".fieldPath";
  causes.push_back(is_one_of(kOfVariables, field)
                       ? not_supported(at, Json(field), kOfFiles)
                       : invalid_value(at, Json(field), "error converting fieldPath"));
}

void check_resource_reference(const JsonObject& reference, const std::string& path,
                              Causes& causes) {
  static constexpr std::initializer_list<std::string_view> kResources = {
      "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
      "requests.cpu", "requests.ephemeral-storage", "requests.memory"};
  const std::string_view resource = text_at(reference, {"resource"});
  const bool is_known = is_one_of(kResources, resource) ||
                        resource.starts_with("limits.hugepages-") ||
                        resource.starts_with("requests.hugepages-");
  if (text_at(reference, {"containerName"}).empty()) {
    causes.push_back(required_value(path + ".containerName"));
  } else if (resource.empty()) {
    causes.push_back(required_value(path + ".resource"));
  } else if (!is_known) {
    causes.push_back(not_supported(path + ".resource", Json(resource), kResources));
  }
}

// The real server names no item.
void check_pod_file(const JsonObject& file, const std::string& path, Causes& causes) {
  check_required_path(file, path, causes);
  const bool is_of_field = has(file, {"fieldRef"});
  const bool is_of_resource = has(file, {"resourceFieldRef"});
  if (is_of_field) {
    check_field_reference(object_at(file, {"fieldRef"}), path + ".fieldRef", causes);
    if (is_of_resource) {
      causes.push_back(
          invalid_value(path, Json("resource"),
                        "fieldRef and resourceFieldRef can not be specified simultaneously"));
    }
  } else if (is_of_resource) {
    check_resource_reference(object_at(file, {"resourceFieldRef"}), path + ".resourceFieldRef",
                             causes);
  } else {
    causes.push_back(required_value(path, "one of fieldRef and resourceFieldRef is required"));
  }
  check_file_mode(file, "mode", path, causes);
}

void check_downward_api(const JsonObject& source, const std::string& path, Causes& causes) {
  check_file_mode(source, "defaultMode", path, causes);
  for (const Json& file : array_at(source, {"items"})) {
    check_pod_file(as_object(file), path, causes);
  }
}

void check_token(const JsonObject& token, const std::string& path, const std::string& projected,
                 Causes& causes) {
  const auto seconds = integer_at(token, {"expirationSeconds"}).value_or(0);
  if (seconds < kTokenLifeMin) {
    causes.push_back(invalid_value(path + ".expirationSeconds", Json(seconds),
                                   "may not specify a duration less than 10 minutes"));
  } else if (seconds > kTokenLifeMax) {
    causes.push_back(invalid_value(path + ".expirationSeconds", Json(seconds),
                                   "may not specify a duration larger than 2^32 seconds"));
  }
  check_required_path(token, projected, causes);  // named like this by the real server
}

// Each path may occur only once among everything projected into the volume.
void check_unique_paths(const JsonObject& source, const std::string& path,
                        std::set<std::string_view>& seen, Causes& causes) {
  for (const auto* kind : {"secret", "configMap", "downwardAPI"}) {
    for (const Json& item : array_at(source, {kind, "items"})) {
      const std::string_view target = text_at(as_object(item), {"path"});
      if (target.empty() || seen.insert(target).second) continue;
      causes.push_back(invalid_value(path, Json(target), "conflicting duplicate paths"));
    }
  }
}

void check_projected_source(const JsonObject& source, const std::string& at,
                            const std::string& path, Causes& causes) {
  if (has(source, {"secret"})) {
    check_keys(object_at(source, {"secret"}), "name", at + ".secret", causes);
  }
  if (has(source, {"configMap"})) {
    check_keys(object_at(source, {"configMap"}), "name", at + ".configMap", causes);
  }
  if (has(source, {"downwardAPI"})) {
    check_downward_api(object_at(source, {"downwardAPI"}), at + ".downwardAPI", causes);
  }
  if (has(source, {"serviceAccountToken"})) {
    check_token(object_at(source, {"serviceAccountToken"}), at + ".serviceAccountToken", path,
                causes);
  }
  if (source.size() > 1) {
    causes.push_back(forbidden_value(at, "may not specify more than 1 volume type per source"));
  }
}

void check_projected(const JsonObject& projected, const std::string& path, Causes& causes) {
  check_file_mode(projected, "defaultMode", path, causes);
  std::set<std::string_view> paths;
  const JsonArray& sources = array_at(projected, {"sources"});
  for (const auto& [source, at] : with_paths(sources, path + ".sources")) {
    check_projected_source(source, at, path, causes);
    check_unique_paths(source, path, paths, causes);
  }
}

void check_host_path(const JsonObject& source, const std::string& path, Causes& causes) {
  const std::string_view target = text_at(source, {"path"});
  if (target.empty()) return causes.push_back(required_value(path + ".path"));
  if (goes_back(target)) {
    causes.push_back(invalid_value(path + ".path", Json(target), "must not contain '..'"));
  }
  static constexpr std::initializer_list<std::string_view> kTypes = {
      "",     "BlockDevice",  "CharDevice", "Directory", "DirectoryOrCreate",
      "File", "FileOrCreate", "Socket"};
  validate_choice(text_at(source, {"type"}), kTypes, path + ".type", causes);
}

void check_nfs(const JsonObject& source, const std::string& path, Causes& causes) {
  require_text(source, "server", path, causes);
  require_text(source, "path", path, causes);
  const std::string_view target = text_at(source, {"path"});
  if (target.starts_with('/')) return;
  causes.push_back(invalid_value(path + ".path", Json(target), "must be an absolute path"));
}

void check_claim_source(const JsonObject& source, const std::string& path, Causes& causes) {
  require_text(source, "claimName", path, causes);
}

void check_csi(const JsonObject& source, const std::string& path, Causes& causes) {
  validate_driver_name(text_at(source, {"driver"}), path + ".driver", causes);
}

void check_ephemeral(const JsonObject& source, const std::string& path, Causes& causes) {
  validate_template_metadata(object_at(source, {"volumeClaimTemplate", "metadata"}),
                             path + ".volumeClaimTemplate.metadata", causes);
}

// In the real server's order: of several, the first is the volume's.
struct VolumeKind {
  std::string_view name;
  void (*check)(const JsonObject&, const std::string&, Causes&) = nullptr;
  std::string_view shown = {};  // its name in refusals, if different
};
constexpr VolumeKind kVolumeKinds[] = {
    {"emptyDir"},
    {"hostPath", check_host_path},
    {"gitRepo"},
    {"gcePersistentDisk"},
    {"awsElasticBlockStore"},
    {"secret", check_secret},
    {"nfs", check_nfs},
    {"iscsi"},
    {"glusterfs"},
    {"flocker"},
    {"persistentVolumeClaim", check_claim_source},
    {"rbd"},
    {"cinder"},
    {"cephfs", nullptr, "cephFS"},
    {"quobyte"},
    {"downwardAPI", check_downward_api, "downwarAPI"},
    {"fc"},
    {"flexVolume"},
    {"configMap", check_config_map},
    {"azureFile"},
    {"vsphereVolume"},
    {"photonPersistentDisk"},
    {"portworxVolume"},
    {"azureDisk"},
    {"storageos"},
    {"projected", check_projected},
    {"scaleIO"},
    {"csi", check_csi},
    {"ephemeral", check_ephemeral},
    {"image"},
};

void check_volume_source(const JsonObject& volume, const std::string& path, Causes& causes) {
  bool is_any = false;
  for (const VolumeKind& kind : kVolumeKinds) {
    if (!has(volume, {kind.name})) continue;
    const std::string at = path + "." + std::string(kind.name);
    if (is_any) {
      causes.push_back(
          forbidden_value(kind.shown.empty() ? at : path + "." + std::string(kind.shown),
                          "may not specify more than 1 volume type"));
    } else if (kind.check != nullptr) {
      kind.check(object_at(volume, {kind.name}), at, causes);
    }
    is_any = true;
  }
  if (!is_any) causes.push_back(required_value(path, "must specify a volume type"));
}

}  // namespace

Volumes validate_volumes(const JsonArray& volumes, const std::string& path, Causes& causes) {
  Volumes names;
  for (const auto& [volume, at] : with_paths(volumes, path)) {
    const std::string_view name = text_at(volume, {"name"});
    const std::size_t before = causes.size();
    check_volume_source(volume, at, causes);
    require_name(NameRule::dns_label, name, at + ".name", causes);
    if (names.contains(name)) causes.push_back(duplicate_value(at + ".name", Json(name)));
    if (causes.size() > before) continue;
    const bool may_be_block = has(volume, {"persistentVolumeClaim"}) || has(volume, {"ephemeral"});
    names[name] = may_be_block ? VolumeModes::filesystem_or_block : VolumeModes::filesystem;
  }
  return names;
}

bool goes_back(std::string_view path) {
  return path == ".." || path.starts_with("../") || path.ends_with("/..") || path.contains("/../");
}

}  // namespace dcm::apiserver
