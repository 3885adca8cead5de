// The columns of volumes and what belongs to them.
#include <string>

#include "apiserver/printers/printer_parts.hpp"

namespace dcm::apiserver {

namespace {

using runtime::WallTime;

// "RWO,ROX": in a fixed order, each once.
std::string access_modes(const JsonArray& modes) {
  struct Mode {
    std::string_view name;
    std::string_view abbreviation;
  };
  constexpr Mode kModes[] = {{"ReadWriteOnce", "RWO"},
                             {"ReadOnlyMany", "ROX"},
                             {"ReadWriteMany", "RWX"},
                             {"ReadWriteOncePod", "RWOP"}};
  std::string text;
  for (const Mode& mode : kModes) {
    if (!has_item(modes, mode.name)) continue;
    if (!text.empty()) text += ',';
    text += mode.abbreviation;
  }
  return text;
}

// The annotation takes precedence over the field that has replaced it.
std::string_view class_of(const JsonObject& volume) {
  const std::string_view annotated =
      text_at(volume, {"metadata", "annotations", "volume.beta.kubernetes.io/storage-class"});
  return annotated.empty() ? text_at(volume, {"spec", "storageClassName"}) : annotated;
}

std::string_view phase_of(const JsonObject& volume) {
  return has(volume, {"metadata", "deletionTimestamp"}) ? "Terminating"
                                                        : text_at(volume, {"status", "phase"});
}

JsonArray volume_cells(const JsonObject& volume, WallTime now) {
  std::string claim;
  if (has(volume, {"spec", "claimRef"})) {
    claim = text_at(volume, {"spec", "claimRef", "namespace"});
    claim += '/';
    claim += text_at(volume, {"spec", "claimRef", "name"});
  }
  return {name_of(volume),
          text_or(volume, {"spec", "capacity", "storage"}, "0"),
          Json(access_modes(array_at(volume, {"spec", "accessModes"}))),
          Json(text_at(volume, {"spec", "persistentVolumeReclaimPolicy"})),
          Json(phase_of(volume)),
          Json(claim),
          Json(class_of(volume)),
          text_or(volume, {"spec", "volumeAttributesClassName"}, "<unset>"),
          Json(text_at(volume, {"status", "reason"})),
          age(volume, now),
          text_or(volume, {"spec", "volumeMode"}, "<unset>")};
}

JsonArray volume_claim_cells(const JsonObject& claim, WallTime now) {
  const std::string_view volume = text_at(claim, {"spec", "volumeName"});
  Json capacity("");
  std::string modes;
  if (!volume.empty()) {
    capacity = text_or(claim, {"status", "capacity", "storage"}, "0");
    modes = access_modes(array_at(claim, {"status", "accessModes"}));
  }
  return {name_of(claim),
          Json(phase_of(claim)),
          Json(volume),
          capacity,
          Json(modes),
          Json(class_of(claim)),
          text_or(claim, {"spec", "volumeAttributesClassName"}, "<unset>"),
          age(claim, now),
          text_or(claim, {"spec", "volumeMode"}, "<unset>")};
}

JsonArray class_cells(const JsonObject& storage, WallTime now) {
  return {name_of(storage),
          Json(text_at(storage, {"provisioner"})),
          text_or(storage, {"reclaimPolicy"}, "Delete"),
          text_or(storage, {"volumeBindingMode"}, "Immediate"),
          Json(flag_at(storage, {"allowVolumeExpansion"})),
          age(storage, now)};
}

JsonArray attachment_cells(const JsonObject& attachment, WallTime now) {
  return {name_of(attachment),
          Json(text_at(attachment, {"spec", "attacher"})),
          Json(text_at(attachment, {"spec", "source", "persistentVolumeName"})),
          Json(text_at(attachment, {"spec", "nodeName"})),
          Json(flag_at(attachment, {"status", "attached"})),
          age(attachment, now)};
}

JsonArray csi_node_cells(const JsonObject& node, WallTime now) {
  return {name_of(node), array_at(node, {"spec", "drivers"}).size(), age(node, now)};
}

std::string audiences_of(const JsonObject& driver) {
  if (!has(driver, {"spec", "tokenRequests"})) return "<unset>";
  std::string text;
  for (const Json& request : array_at(driver, {"spec", "tokenRequests"})) {
    if (!text.empty()) text += ',';
    text += text_at(as_object(request), {"audience"});
  }
  return text;
}

std::string modes_of(const JsonObject& driver) {
  std::string text;
  for (const Json& mode : array_at(driver, {"spec", "volumeLifecycleModes"})) {
    if (!mode.is_string()) continue;
    if (!text.empty()) text += ',';
    text += view(mode.get_string());
  }
  return text.empty() ? "<none>" : text;
}

JsonArray csi_driver_cells(const JsonObject& driver, WallTime now) {
  return {name_of(driver),
          Json(flag_at(driver, {"spec", "attachRequired"}, true)),
          Json(flag_at(driver, {"spec", "podInfoOnMount"})),
          Json(flag_at(driver, {"spec", "storageCapacity"})),
          Json(audiences_of(driver)),
          Json(flag_at(driver, {"spec", "requiresRepublish"})),
          Json(modes_of(driver)),
          age(driver, now)};
}

}  // namespace

Printers storage_printers() {
  return {
      {"PersistentVolume",
       {{name_column(), shown("Capacity"), shown("Access Modes"), shown("Reclaim Policy"),
         shown("Status"), shown("Claim"), shown("StorageClass"), shown("VolumeAttributesClass"),
         shown("Reason"), age_column(), wide("VolumeMode")},
        volume_cells}},
      {"PersistentVolumeClaim",
       {{name_column(), shown("Status"), shown("Volume"), shown("Capacity"), shown("Access Modes"),
         shown("StorageClass"), shown("VolumeAttributesClass"), age_column(), wide("VolumeMode")},
        volume_claim_cells}},
      {"StorageClass",
       {{name_column(), shown("Provisioner"), shown("ReclaimPolicy"), shown("VolumeBindingMode"),
         shown("AllowVolumeExpansion"), age_column()},
        class_cells}},
      {"VolumeAttachment",
       {{name_column(), Column{.name = "Attacher", .format = "name"}, shown("PV"), shown("Node"),
         typed("Attached", "boolean"), age_column()},
        attachment_cells}},
      {"CSINode", {{name_column(), typed("Drivers", "integer"), age_column()}, csi_node_cells}},
      {"CSIDriver",
       {{name_column(), typed("AttachRequired", "boolean"), typed("PodInfoOnMount", "boolean"),
         typed("StorageCapacity", "boolean"), shown("TokenRequests"),
         typed("RequiresRepublish", "boolean"), shown("Modes"), age_column()},
        csi_driver_cells}},
  };
}

}  // namespace dcm::apiserver
