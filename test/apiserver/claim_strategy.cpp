// ResourceClaim and ResourceClaimTemplate: immutable specs, and the rules for a claim's status that
// allocation, reservation and deallocation lean on (KEP-4381; k8s.io/kubernetes
// pkg/apis/resource/validation). What a request asks for is looked at only as far as a broken
// template needs to be refused.
#include <algorithm>
#include <set>

#include "test/apiserver/strategies.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kMaxReservedFor = 256;
constexpr std::string_view kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
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

void validate_request(const JsonObject& request, const std::string& path, Causes& causes) {
  if (text_at(request, {"name"}).empty()) {
    causes.push_back(invalid_value(path + ".name", Json(""), kLabelRule));
  }
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

// Entries of devices that are not allocated any more go by themselves.
void drop_deallocated_devices(JsonObject& next) {
  Json* devices = find(next, {"status", "devices"});
  if (devices == nullptr || !devices->is_array()) return;
  const JsonArray& results = array_at(next, {"status", "allocation", "devices", "results"});
  const auto allocated = [&](const Json& device) {
    return std::ranges::any_of(results, [&](const Json& result) {
      return std::ranges::all_of(
          std::initializer_list<std::string_view>{"driver", "pool", "device", "shareID"},
          [&](std::string_view key) {
            return device.is_object() && result.is_object() &&
                   text_at(device.get_object(), {key}) == text_at(result.get_object(), {key});
          });
    });
  };
  JsonArray kept;
  for (const Json& device : devices->get_array()) {
    if (allocated(device)) kept.push_back(device);
  }
  if (kept.empty()) {
    child(next, "status").erase("devices");
  } else {
    *devices = std::move(kept);
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
  if (now == nullptr || before == nullptr || *now == *before) return;
  causes.push_back(invalid_value("status.allocation", Json(), "field cannot be modified once set"));
}

class ClaimStrategy final : public StatusStrategy {
 public:
  void prepare_create(JsonObject& object, const WriteContext& context) const override {
    StatusStrategy::prepare_create(object, context);
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
    if (endpoint == Endpoint::main) {
      default_spec(child(next, "spec"));
    } else {
      drop_deallocated_devices(next);
    }
  }

  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint endpoint,
                       Causes& causes) const override {
    if (endpoint == Endpoint::main) {
      require_same_spec(next, old, causes);
      return;
    }
    validate_reserved_for(next, old, causes);
    validate_allocation(next, old, causes);
  }
};

class ClaimTemplateStrategy final : public Strategy {
 public:
  void prepare_create(JsonObject& object, const WriteContext&) const override {
    default_template(object);
  }
  void validate_create(const JsonObject& object, const WriteContext& context,
                       Causes& causes) const override {
    validate_admin_access(object_at(object, {"spec", "spec"}), context, causes);
    validate_spec(object_at(object, {"spec", "spec"}), "spec.spec", causes);
  }
  void prepare_update(JsonObject& next, const JsonObject&, Endpoint,
                      const WriteContext&) const override {
    default_template(next);
  }
  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint,
                       Causes& causes) const override {
    require_same_spec(next, old, causes);
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
