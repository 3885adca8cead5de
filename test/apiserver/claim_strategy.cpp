// ResourceClaim and ResourceClaimTemplate: immutable specs, and the rules for a claim's status that
// allocation, reservation and deallocation lean on (KEP-4381; k8s.io/kubernetes
// pkg/apis/resource/validation). What a request asks for is looked at only as far as a broken
// template needs to be refused.
#include <algorithm>
#include <set>

#include "test/apiserver/conditions.hpp"
#include "test/apiserver/strategies.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kMaxReservedFor = 256;
constexpr std::string_view kAdminLabel = "resource.kubernetes.io/admin-access";

void default_device_request(JsonObject& request) {
  set_default(request, "allocationMode", "ExactCount");
  if (text_at(request, {"allocationMode"}) == "ExactCount") set_default(request, "count", 1);
}

// Defaults of a claim spec, also of that in a template.
void default_spec(JsonObject& spec) {
  Json* requests = find(spec, {"devices", "requests"});
  if (requests == nullptr || !requests->is_array()) return;
  for (Json& request : requests->get_array()) {
    if (!request.is_object()) continue;
    if (Json* exactly = find(request.get_object(), {"exactly"}); exactly && exactly->is_object()) {
      default_device_request(exactly->get_object());
    }
    Json* alternatives = find(request.get_object(), {"firstAvailable"});
    if (alternatives == nullptr || !alternatives->is_array()) continue;
    for (Json& alternative : alternatives->get_array()) {
      if (alternative.is_object()) default_device_request(alternative.get_object());
    }
  }
}

void default_template(JsonObject& object) {
  JsonObject& spec = child(object, "spec");
  child(spec, "metadata");
  default_spec(child(spec, "spec"));
}

void validate_device_request(const JsonObject& request, const std::string& path, Causes& causes) {
  if (text_at(request, {"deviceClassName"}).empty()) {
    causes.push_back(required_value(path + ".deviceClassName"));
  }
  const std::string_view mode = text_at(request, {"allocationMode"});
  if (mode != "All" && mode != "ExactCount") {
    causes.push_back(not_supported(path + ".allocationMode", Json(mode), {"All", "ExactCount"}));
  }
  if (mode == "All" && integer_at(request, {"count"}).value_or(0) != 0) {
    causes.push_back(invalid_value(path + ".count", *find(request, {"count"}),
                                   "must not be specified when allocationMode is 'All'"));
  }
  if (mode == "ExactCount" && integer_at(request, {"count"}).value_or(0) <= 0) {
    const Json* count = find(request, {"count"});
    causes.push_back(invalid_value(path + ".count", count != nullptr ? *count : Json(0),
                                   "must be greater than zero"));
  }
}

void validate_request_name(const JsonObject& request, const std::string& path, Causes& causes) {
  const std::string_view name = text_at(request, {"name"});
  if (const auto problem = problem_with_name(NameRule::dns_label, name); !problem.empty()) {
    causes.push_back(invalid_value(path + ".name", Json(name), problem));
  }
}

void validate_request(const JsonObject& request, const std::string& path, Causes& causes) {
  validate_request_name(request, path, causes);
  const bool exactly = has(request, {"exactly"});
  const bool first = has(request, {"firstAvailable"});
  if (exactly && first) {
    causes.push_back(invalid_value(path, Json(),
                                   "exactly one of `exactly` or `firstAvailable` is required, but "
                                   "multiple fields are set"));
  } else if (!exactly && !first) {
    causes.push_back(
        required_value(path, "exactly one of `exactly` or `firstAvailable` is required"));
  }
  if (exactly) validate_device_request(object_at(request, {"exactly"}), path + ".exactly", causes);
  std::size_t index = 0;
  for (const Json& alternative : array_at(request, {"firstAvailable"})) {
    if (!alternative.is_object()) continue;
    validate_device_request(alternative.get_object(), indexed(path + ".firstAvailable", index++),
                            causes);
  }
}

// "request", or "request/alternative" of one with alternatives.
bool is_request(const JsonObject& spec, std::string_view reference) {
  return std::ranges::any_of(array_at(spec, {"devices", "requests"}), [&](const Json& item) {
    if (!item.is_object()) return false;
    const JsonObject& request = item.get_object();
    const std::string name(text_at(request, {"name"}));
    if (name == reference) return true;
    return std::ranges::any_of(array_at(request, {"firstAvailable"}), [&](const Json& other) {
      return other.is_object() &&
             name + "/" + std::string(text_at(other.get_object(), {"name"})) == reference;
    });
  });
}

// The requests that a part of the spec is about.
void validate_references(const JsonObject& spec, std::string_view list, const std::string& path,
                         Causes& causes) {
  std::size_t index = 0;
  for (const Json& item : array_at(spec, {"devices", list})) {
    const std::string here = indexed(path + ".devices." + std::string(list), index++) + ".requests";
    if (!item.is_object()) continue;
    std::set<std::string> seen;
    std::size_t place = 0;
    for (const Json& reference : array_at(item.get_object(), {"requests"})) {
      const std::string at = indexed(here, place++);
      const std::string name(reference.is_string() ? view(reference.get_string()) : "");
      if (!seen.insert(name).second) causes.push_back(duplicate_value(at, reference));
      const std::string_view problem =
          problem_with_name(NameRule::dns_label, name.substr(0, name.find('/')));
      if (!problem.empty()) {
        causes.push_back(invalid_value(at, reference, problem));
      } else if (!is_request(spec, name)) {
        causes.push_back(
            invalid_value(at, reference, "must be the name of a request in the claim"));
      }
    }
  }
}

void validate_spec(const JsonObject& spec, const std::string& path, Causes& causes) {
  const std::string requests_path = path + ".devices.requests";
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const Json& item : array_at(spec, {"devices", "requests"})) {
    const std::string at = indexed(requests_path, index++);
    if (!item.is_object()) continue;
    validate_request(item.get_object(), at, causes);
    const std::string_view name = text_at(item.get_object(), {"name"});
    if (!name.empty() && !names.insert(name).second) {
      causes.push_back(duplicate_value(at, item));
    }
  }
  validate_references(spec, "constraints", path, causes);
  validate_references(spec, "config", path, causes);
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
    if (!is_request(object_at(claim, {"spec"}), text_at(result, {"request"}))) {
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
    default_spec(child(object, "spec"));
  }

  void validate_create(const JsonObject& object, const WriteContext& context,
                       Causes& causes) const override {
    validate_admin_access(object_at(object, {"spec"}), context, causes);
    validate_spec(object_at(object, {"spec"}), "spec", causes);
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
    validate_spec(object_at(object, {"spec", "spec"}), "spec.spec", causes);
  }
  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint,
                       Causes& causes) const override {
    require_same_spec(next, old, causes);
    validate_spec(object_at(next, {"spec", "spec"}), "spec.spec", causes);
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
