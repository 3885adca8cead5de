// ResourceClaim and ResourceClaimTemplate: immutable specs, and the rules for a claim's status that
// allocation, reservation and deallocation lean on (KEP-4381; k8s.io/kubernetes
// pkg/apis/resource/validation).
#include <algorithm>
#include <set>

#include "apiserver/rules/claim_spec.hpp"
#include "apiserver/rules/conditions.hpp"
#include "apiserver/rules/strategies.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kMaxReservedFor = 256;
constexpr std::string_view kAdminLabel = "resource.kubernetes.io/admin-access";

void default_template(JsonObject& object) {
  JsonObject& spec = child(object, "spec");
  child(spec, "metadata");
  default_claim_spec(child(spec, "spec"));
}

void validate_admin_access(const JsonObject& spec, const WriteContext& context, Causes& causes) {
  std::size_t index = 0;
  for (const Json& item : array_at(spec, {"devices", "requests"})) {
    const std::size_t here = index++;
    if (!item.is_object()) continue;
    const Json* admin = find(item.get_object(), {"exactly", "adminAccess"});
    if (admin == nullptr || !admin->is_bool() || !admin->get_bool()) continue;
    const bool labelled = context.ns != nullptr &&
                          text_at(*context.ns, {"metadata", "labels", kAdminLabel}) == "true";
    if (labelled) return;
    causes.push_back(forbidden_value(
        indexed("spec.devices.requests", here) + ".adminAccess",
        "admin access to devices requires the `resource.kubernetes.io/admin-access: true` label "
        "on the containing namespace"));
    return;
  }
}

bool same_device(const Json& a, const Json& b) {
  constexpr std::string_view kKeys[] = {"driver", "pool", "device", "shareID"};
  return a.is_object() && b.is_object() && std::ranges::all_of(kKeys, [&](std::string_view key) {
           return text_at(a.get_object(), {key}) == text_at(b.get_object(), {key});
         });
}

bool is_allocated(const JsonObject& claim, const Json& device) {
  return std::ranges::any_of(array_at(claim, {"status", "allocation", "devices", "results"}),
                             [&](const Json& result) { return same_device(device, result); });
}

// Entries of devices that are not allocated any more go by themselves.
void drop_deallocated_devices(JsonObject& next, const JsonObject& old) {
  JsonArray kept;
  for (const Json& device : array_at(next, {"status", "devices"})) {
    if (!is_allocated(old, device) || is_allocated(next, device)) kept.push_back(device);
  }
  if (kept.empty()) {
    child(next, "status").erase("devices");
  } else {
    child(next, "status")["devices"] = std::move(kept);
  }
}

void validate_devices(const JsonObject& claim, Causes& causes) {
  const JsonArray& devices = array_at(claim, {"status", "devices"});
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::string path = indexed("status.devices", i);
    if (!is_allocated(claim, devices[i])) {
      causes.push_back(invalid_value(path, devices[i], "must be an allocated device in the claim"));
    }
    if (devices[i].is_object()) {
      validate_conditions(array_at(devices[i].get_object(), {"conditions"}), path + ".conditions",
                          causes);
    }
  }
}

void validate_results(const JsonObject& claim, Causes& causes) {
  std::size_t index = 0;
  for (const Json& item : array_at(claim, {"status", "allocation", "devices", "results"})) {
    const std::string path = indexed("status.allocation.devices.results", index++);
    if (!item.is_object()) continue;
    const JsonObject& result = item.get_object();
    if (!is_claim_request(object_at(claim, {"spec"}), text_at(result, {"request"}))) {
      causes.push_back(invalid_value(path + ".request", Json(text_at(result, {"request"})),
                                     "must be the name of a request in the claim"));
    }
    for (const auto* key : {"driver", "pool"}) {
      if (text_at(result, {key}).empty()) causes.push_back(required_value(path + "." + key));
    }
    const std::string_view device = text_at(result, {"device"});
    if (const auto problem = problem_with_name(NameRule::dns_label, device); !problem.empty()) {
      causes.push_back(invalid_value(path + ".device", Json(device), problem));
    }
  }
}

void validate_consumers(const JsonArray& reserved_for, Causes& causes) {
  if (reserved_for.size() > kMaxReservedFor) {
    causes.push_back(too_many("status.reservedFor", reserved_for.size(), kMaxReservedFor));
  }
  std::set<std::string_view> uids;
  std::size_t index = 0;
  for (const Json& item : reserved_for) {
    const std::string path = indexed("status.reservedFor", index++);
    if (!item.is_object()) {
      causes.push_back(invalid_value(path, item, "must be an object"));
      continue;
    }
    const JsonObject& consumer = item.get_object();
    for (const auto* key : {"resource", "name", "uid"}) {
      if (text_at(consumer, {key}).empty()) causes.push_back(required_value(path + "." + key));
    }
    const std::string_view uid = text_at(consumer, {"uid"});
    if (!uid.empty() && !uids.insert(uid).second) causes.push_back(duplicate_value(path, item));
  }
}

void validate_reserved_for(const JsonObject& next, const JsonObject& old, Causes& causes) {
  const JsonArray& now = array_at(next, {"status", "reservedFor"});
  validate_consumers(now, causes);
  if (now.empty()) return;
  if (!has(next, {"status", "allocation"})) {
    causes.push_back(
        forbidden_value("status.reservedFor", "may not be specified when `allocated` is not set"));
    return;
  }
  if (!has(next, {"metadata", "deletionTimestamp"})) return;
  const JsonArray& before = array_at(old, {"status", "reservedFor"});
  const bool grows = std::ranges::any_of(
      now, [&](const Json& item) { return std::ranges::find(before, item) == before.end(); });
  if (grows) {
    causes.push_back(forbidden_value("status.reservedFor",
                                     "new entries may not be added while `deallocationRequested` "
                                     "or `deletionTimestamp` are set"));
  }
}

void validate_allocation(const JsonObject& next, const JsonObject& old, Causes& causes) {
  const Json* now = find(next, {"status", "allocation"});
  const Json* before = find(old, {"status", "allocation"});
  if (now != nullptr && before == nullptr) validate_results(next, causes);
  if (now == nullptr || before == nullptr || *now == *before) return;
  causes.push_back(invalid_value("status.allocation", Json(), "field cannot be modified once set"));
}

class ClaimStrategy final : public StatusStrategy {
 public:
  void set_defaults(JsonObject& object, const WriteContext&) const override {
    default_claim_spec(child(object, "spec"));
  }

  void validate_create(const JsonObject& object, const WriteContext& context,
                       Causes& causes) const override {
    validate_admin_access(object_at(object, {"spec"}), context, causes);
    validate_claim_spec(object_at(object, {"spec"}), "spec", causes);
  }

  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                      const WriteContext& context) const override {
    StatusStrategy::prepare_update(next, old, endpoint, context);
    if (endpoint == Endpoint::status) drop_deallocated_devices(next, old);
  }

  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint endpoint,
                       Causes& causes) const override {
    if (endpoint == Endpoint::main) {
      require_same_spec(next, old, causes);
      return;
    }
    validate_reserved_for(next, old, causes);
    validate_allocation(next, old, causes);
    validate_devices(next, causes);
  }
};

class ClaimTemplateStrategy final : public Strategy {
 public:
  void set_defaults(JsonObject& object, const WriteContext&) const override {
    default_template(object);
  }
  void validate_create(const JsonObject& object, const WriteContext& context,
                       Causes& causes) const override {
    validate_admin_access(object_at(object, {"spec", "spec"}), context, causes);
    validate_claim_spec(object_at(object, {"spec", "spec"}), "spec.spec", causes);
  }
  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint,
                       Causes& causes) const override {
    require_same_spec(next, old, causes);
    validate_claim_spec(object_at(next, {"spec", "spec"}), "spec.spec", causes);
  }
};

}  // namespace

const Strategy& claim_strategy() {
  static const ClaimStrategy kStrategy;
  return kStrategy;
}

const Strategy& claim_template_strategy() {
  static const ClaimTemplateStrategy kStrategy;
  return kStrategy;
}

}  // namespace dcm::apiserver
