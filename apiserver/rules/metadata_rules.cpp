#include "apiserver/rules/metadata_rules.hpp"

#include <set>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/names.hpp"
#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kCausesMax = 10;

void validate_owners(const JsonObject& metadata, Causes& causes) {
  std::string first;
  const JsonArray& owners = array_at(metadata, {"ownerReferences"});
  for (const auto& [owner, path] : with_paths(owners, "metadata.ownerReferences")) {
    for (const auto* key : {"apiVersion", "kind", "name", "uid"}) {
      if (text_at(owner, {key}).empty()) {
        causes.push_back(required_value(path + "." + key, "must not be empty"));
      }
    }
    if (text_at(owner, {"apiVersion"}) == "v1" && text_at(owner, {"kind"}) == "Event") {
      causes.push_back(
          invalid_value(path, Json(owner), "/v1, Kind=Event is disallowed from being an owner"));
    }
    // The text of this cause shows all references, so only a few are reported.
    if (!has_true(owner, "controller") || causes.size() >= kCausesMax) continue;
    const std::string name =
        fmt::format("{}/{}", text_at(owner, {"kind"}), text_at(owner, {"name"}));
    if (!first.empty()) {
      causes.push_back(invalid_value(
          "metadata.ownerReferences", owners,
          fmt::format("Only one reference can have Controller set to true. Found \"true\" in "
                      "references for {} and {}",
                      first, name)));
    }
    first = name;
  }
}

// The contents of an owner reference, in one order.
std::string text_of_owner(const JsonObject& owner) {
  JsonArray values;
  for (const auto* key :
       {"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"}) {
    const Json* const value = owner.if_contains(key);
    values.push_back(value != nullptr ? *value : Json());
  }
  return serialize(Json(values));
}

// Keys may be in any case.
void validate_annotations(const JsonObject& annotations, const std::string& path, Causes& causes) {
  constexpr std::size_t kBytesMax = 256 * 1024;  // of all keys and values
  std::size_t bytes = 0;
  for (const auto& member : annotations) {
    const std::string_view key = member.key();
    add_problems(problems_with_qualified_name(lower(key)), key, path, causes);
    bytes += key.size() + as_text(member.value()).size();
  }
  if (bytes > kBytesMax) causes.push_back(too_long(path, kBytesMax));
}

void validate_finalizers(const JsonObject& metadata, Causes& causes) {
  const JsonArray& finalizers = array_at(metadata, {"finalizers"});
  for (const Json& item : finalizers) {
    const std::string_view text = as_text(item);
    validate_qualified_name(text, "metadata.finalizers", causes);
  }
  if (has_item(finalizers, "orphan") && has_item(finalizers, "foregroundDeletion")) {
    causes.push_back(invalid_value("metadata.finalizers", Json(finalizers),
                                   "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

// A suffix will follow, so it may end with a dash. The real server also masks the character before.
void validate_generate_name(const JsonObject& metadata, NameRule rule, Causes& causes) {
  const std::string_view prefix = text_at(metadata, {"generateName"});
  if (prefix.empty()) return;
  std::string name(prefix);
  if (rule != NameRule::path_segment && name.size() > 1 && name.ends_with('-')) {
    name.replace(name.size() - 2, 2, "a");
  }
  add_problems(problems_with_name(rule, name), prefix, "metadata.generateName", causes);
}

void validate_contents(const JsonObject& metadata, Causes& causes) {
  validate_labels_and_annotations(metadata, "metadata", causes);
  validate_owners(metadata, causes);
  validate_finalizers(metadata, causes);
}

void require_same(const JsonObject& next, const JsonObject& old, std::string_view key,
                  Causes& causes) {
  const Json* now = find(next, {"metadata", key});
  const Json* before = find(old, {"metadata", key});
  const bool is_same = now == nullptr || before == nullptr ? now == before : *now == *before;
  if (is_same) return;
  causes.push_back(invalid_value(fmt::format("metadata.{}", key), now != nullptr ? *now : Json(),
                                 "field is immutable"));
}

void forbid_new_finalizers(const JsonObject& next, const JsonObject& old, Causes& causes) {
  const std::set<std::string_view> before = texts_in(array_at(old, {"metadata", "finalizers"}));
  std::string added;
  for (const Json& finalizer : array_at(next, {"metadata", "finalizers"})) {
    if (before.contains(as_text(finalizer))) continue;
    added += (added.empty() ? "" : ", ") + serialize(finalizer);
  }
  if (added.empty()) return;
  causes.push_back(forbidden_value(
      "metadata.finalizers",
      fmt::format("no new finalizers can be added if the object is being deleted, found new "
                  "finalizers []string{{{}}}",
                  added)));
}

// Except for leases, events, definitions and defined kinds, a finalizer has a domain or is one of
// Kubernetes' own.
void validate_known_finalizers(std::string_view kind, const JsonObject& metadata, Causes& causes) {
  if (kind.empty() || kind == "Lease" || kind == "Event" || kind == "CustomResourceDefinition") {
    return;
  }
  std::size_t index = 0;
  for (const Json& item : array_at(metadata, {"finalizers"})) {
    const std::string path = indexed("metadata.finalizers", index++);
    const std::string_view text = as_text(item);
    const bool is_standard =
        text == "orphan" || text == "foregroundDeletion" || text == "kubernetes";
    if (is_standard || text.contains('/')) continue;
    causes.push_back(invalid_value(
        path, item, "name is neither a standard finalizer name nor is it fully qualified"));
  }
}

}  // namespace

void validate_labels_and_annotations(const JsonObject& metadata, const std::string& path,
                                     Causes& causes) {
  validate_labels(object_at(metadata, {"labels"}), path + ".labels", causes);
  validate_annotations(object_at(metadata, {"annotations"}), path + ".annotations", causes);
}

void validate_template_metadata(const JsonObject& metadata, const std::string& path,
                                Causes& causes) {
  validate_labels_and_annotations(metadata, path, causes);
  for (const auto& [name, value] : metadata) {
    if (name == "labels" || name == "annotations") continue;
    const bool is_zero = value == Json("") || (name == "generation" && value == Json(0));
    if (is_zero || value.is_null()) continue;
    // The real server shows the name of Go's field, with a small first letter.
    const std::string_view shown = name == "uid" ? "uID" : std::string_view(name);
    causes.push_back(forbidden_value(fmt::format("{}.{}", path, shown), "cannot be set"));
  }
}

void validate_metadata(std::string_view kind, const JsonObject& object, NameRule rule,
                       Causes& causes) {
  const JsonObject& metadata = object_at(object, {"metadata"});
  const std::string_view name = text_at(metadata, {"name"});
  if (name.empty()) {
    causes.push_back(required_value("metadata.name", "name or generateName is required"));
  } else {
    validate_name(rule, name, "metadata.name", causes);
  }
  validate_generate_name(metadata, rule, causes);
  validate_counts(metadata, {"generation"}, "metadata", causes);
  validate_contents(metadata, causes);
  validate_known_finalizers(kind, metadata, causes);
}

void validate_metadata_update(std::string_view kind, const JsonObject& next, const JsonObject& old,
                              Causes& causes) {
  if (has(old, {"metadata", "deletionTimestamp"})) forbid_new_finalizers(next, old, causes);
  for (const auto* key :
       {"name", "namespace", "uid", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    require_same(next, old, key, causes);
  }
  validate_contents(object_at(next, {"metadata"}), causes);
  validate_known_finalizers(kind, object_at(next, {"metadata"}), causes);
}

void validate_field_manager(std::string_view manager, const std::string& field, Causes& causes) {
  constexpr std::size_t kBytesMax = 128;
  if (manager.size() > kBytesMax) causes.push_back(too_long(field, kBytesMax));
  for (std::size_t at = 0; at < manager.size(); ++at) {
    const auto c = static_cast<unsigned char>(manager[at]);
    if (c >= ' ' && c != 0x7f) continue;
    causes.push_back(invalid_value(
        field, Json(manager), fmt::format("invalid character U+{:04X} (at position {})", c, at)));
  }
}

void drop_empty_maps(JsonObject& metadata) {
  for (const auto* key : {"labels", "annotations"}) {
    if (metadata.contains(key) && object_at(metadata, {key}).empty()) metadata.erase(key);
  }
}

std::string drop_repeated_owners(JsonObject& metadata) {
  JsonArray once;
  std::set<std::string> seen;
  std::string repeated;
  for (const Json& owner : array_at(metadata, {"ownerReferences"})) {
    if (seen.insert(text_of_owner(as_object(owner))).second) {
      once.push_back(owner);
    } else {
      repeated += (repeated.empty() ? "" : ", ") + std::string(text_at(as_object(owner), {"uid"}));
    }
  }
  if (!repeated.empty()) metadata["ownerReferences"] = std::move(once);
  return repeated;
}

void keep_system_metadata(JsonObject& next, const JsonObject& old) {
  JsonObject& metadata = child(next, "metadata");
  const JsonObject& before = object_at(old, {"metadata"});

  restore(metadata, before, "creationTimestamp");
  if (text_at(metadata, {"uid"}).empty()) restore(metadata, before, "uid");
  if (before.contains("deletionTimestamp")) restore(metadata, before, "deletionTimestamp");
  if (!metadata.contains("deletionGracePeriodSeconds")) {
    restore(metadata, before, "deletionGracePeriodSeconds");
  }
}

}  // namespace dcm::apiserver
