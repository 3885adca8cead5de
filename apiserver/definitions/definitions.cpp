#include "apiserver/definitions/definitions.hpp"

#include <algorithm>

#include "apiserver/definitions/accepted_names.hpp"
#include "apiserver/definitions/approval.hpp"
#include "apiserver/definitions/defined_kind.hpp"
#include "apiserver/definitions/webhook_conversion.hpp"
#include "apiserver/rules/conditions.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kDefinitions = "customresourcedefinitions";

bool is_deleted(const JsonObject& object) {
  return has(object, {"metadata", "deletionTimestamp"});
}

// "widgets.example.com" → ".example.com".
std::string_view group_of(std::string_view name) {
  return name.substr(std::min(name.find('.'), name.size()));
}

}  // namespace

// Only a change of these replaces the rows.
Definitions::Rows Definitions::rows_of(const JsonObject& definition) {
  const bool is_served = has_condition(definition, "Established");
  return {serialize(JsonObject{{"spec", object_at(definition, {"spec"})},
                               {"names", object_at(definition, {"status", "acceptedNames"})},
                               {"uid", text_at(definition, {"metadata", "uid"})},
                               {"served", is_served}}),
          is_deleted(definition)};
}

void Definitions::observe(std::string_view storage, const Change& change) {
  if (storage == kDefinitions) due_.insert(change.key);
  if (change.after == nullptr && emptying_.contains(storage)) due_.emplace(storage);
}

void Definitions::settle(const std::function<void(std::string_view)>& on_redefined) {
  while (!due_.empty()) {
    const std::string name = std::move(due_.extract(due_.begin()).value());
    settle_one(name, on_redefined);
  }
}

void Definitions::forget_histories(const std::function<bool(std::string_view)>& is_watched) {
  std::erase_if(gone_, [&](const std::string& name) {
    if (is_watched(name)) return false;
    store_.forget_history(name);
    return true;
  });
}

void Definitions::settle_one(const std::string& name,
                             const std::function<void(std::string_view)>& on_redefined) {
  const Stored definition = store_.get(kDefinitions, name);
  if (definition == nullptr) {
    if (served_.erase(name) > 0) {
      types_.define(name, {});
      on_redefined(name);
      gone_.insert(name);
    }
    emptying_.erase(name);
    return release_names_of(name);
  }
  // Each step that writes is followed by another call.
  if (judge_approval(name, *definition) || accept_names(name, *definition) ||
      establish(name, *definition)) {
    return;
  }
  Rows rows = rows_of(*definition);
  const auto served = served_.find(name);
  if (served == served_.end() || served->second != rows) {
    types_.define(name, types_of_definition(*definition));
    // A deletion ends no watch: whoever waits for the last object sees it go.
    if (served != served_.end() && served->second.kind != rows.kind) on_redefined(name);
    served_.insert_or_assign(name, std::move(rows));
    gone_.erase(name);
  }
  clean_up(name, *definition);
}

Target Definitions::target_of(const std::string& name) const {
  return {.type = &types_.get(kDefinitions),
          .version = "v1",
          .ns = "",
          .name = name,
          .endpoint = Endpoint::status,
          .manager = "kube-apiserver"};
}

bool Definitions::write_status(const std::string& name,
                               const std::function<void(JsonObject&)>& change) {
  const auto written = registry_.patch(target_of(name), [&](JsonObject& object) -> Result<> {
    change(object);
    return {};
  });
  // If an admission policy forbids changing a definition, it stays as it is until another change.
  if (!written) due_.erase(name);
  return written.has_value();
}

bool Definitions::write_changed_status(const std::string& name, const JsonObject& definition,
                                       const JsonObject& next) {
  if (object_at(next, {"status"}) == object_at(definition, {"status"})) return false;
  write_status(name, [&](JsonObject& object) { object["status"] = next.at("status"); });
  return true;
}

// Another definition of the group may be waiting for a name that this one had.
void Definitions::release_names_of(std::string_view name) {
  for (const Store::Entry& entry : store_.list(kDefinitions, "", "", store_.revision())) {
    if (entry.key == name || group_of(entry.key) != group_of(name)) continue;
    const bool waits = !has_condition(*entry.object, "NamesAccepted");
    if (waits && has(*entry.object, {"status", "conditions"})) due_.insert(entry.key);
  }
}

bool Definitions::judge_approval(const std::string& name, const JsonObject& definition) {
  const auto approval = approval_of(definition);
  if (!approval) return false;
  JsonObject next = definition;
  set_condition(next, *approval, registry_.now());
  return write_changed_status(name, definition, next);
}

bool Definitions::accept_names(const std::string& name, const JsonObject& definition) {
  const JsonObject& accepted = object_at(definition, {"status", "acceptedNames"});
  if (object_at(definition, {"spec", "names"}) == accepted) return false;
  auto result =
      apiserver::accept_names(definition, store_.list(kDefinitions, "", "", store_.revision()));
  const std::string now = registry_.now();
  JsonObject next = definition;
  child(next, "status")["acceptedNames"] = result.names;
  set_condition(next, result.condition, now);
  if (!has_condition(next, "Established")) {
    const bool is_good = result.condition.status == "True";
    set_condition(next,
                  {"Established", "False", is_good ? "Installing" : "NotAccepted",
                   is_good ? "the initial names have been accepted" : "not all names are accepted"},
                  now);
  }
  if (object_at(next, {"status"}) == object_at(definition, {"status"})) return false;
  const bool gives_up = !accepted.empty() && accepted != result.names;
  const bool is_written =
      write_status(name, [&](JsonObject& object) { object["status"] = next.at("status"); });
  if (is_written && gives_up) release_names_of(name);
  return true;
}

bool Definitions::establish(const std::string& name, const JsonObject& definition) {
  if (!has_condition(definition, "NamesAccepted") || has_condition(definition, "Established"))
    return false;
  const Condition established{"Established", "True", "InitialNamesAccepted",
                              "the initial names have been accepted"};
  const Condition refused{"Established", "False", "InvalidCABundle",
                          "The conversion webhook CABundle is invalid"};
  const bool is_good = has_valid_ca_bundle(object_at(definition, {"spec"}));
  JsonObject next = definition;
  set_condition(next, is_good ? established : refused, registry_.now());
  return write_changed_status(name, definition, next);
}

// Uses any version that needs no webhook, served or not.
void Definitions::delete_objects(const std::string& name, const JsonObject& definition) {
  const std::vector<ResourceType> types = types_of_definition(definition, Versions::all);
  const auto readable = std::ranges::find(types, nullptr, &ResourceType::unconverted);
  if (readable == types.end()) return;
  for (const Store::Entry& entry : store_.list(name, "", "", store_.revision())) {
    if (is_deleted(*entry.object)) continue;
    const Target target{.type = &*readable,
                        .version = readable->versions.front(),
                        .ns = std::string(text_at(*entry.object, {"metadata", "namespace"})),
                        .name = std::string(text_at(*entry.object, {"metadata", "name"}))};
    [[maybe_unused]] const auto removed =
        registry_.remove(target, {.of = DeleteWish::Of::definition});
  }
}

bool Definitions::clean_up(const std::string& name, const JsonObject& definition) {
  const JsonArray& finalizers = array_at(definition, {"metadata", "finalizers"});
  const bool is_held = has_item(finalizers, kCleanupFinalizer);
  if (!is_deleted(definition) || !is_held) return false;
  const bool begins = emptying_.insert(name).second;
  const std::string now = registry_.now();
  if (begins && has_condition(definition, "Established")) {
    write_status(name, [&](JsonObject& object) {
      set_condition(object,
                    {"Terminating", "True", "InstanceDeletionInProgress",
                     "CustomResource deletion is in progress"},
                    now);
    });
    delete_objects(name, definition);
  }
  if (!store_.list(name, "", "", store_.revision()).empty()) return false;
  emptying_.erase(name);
  const bool was_served = has_condition(definition, "Established");
  write_status(name, [&](JsonObject& object) {
    set_condition(
        object,
        {"Terminating", "False", was_served ? "InstanceDeletionCompleted" : "NeverEstablished",
         was_served ? "removed all instances" : "resource was never established"},
        now);
    JsonArray left;
    for (const Json& finalizer : array_at(object, {"metadata", "finalizers"})) {
      if (finalizer != Json(kCleanupFinalizer)) left.push_back(finalizer);
    }
    child(object, "metadata")["finalizers"] = std::move(left);
  });
  return true;
}

}  // namespace dcm::apiserver
