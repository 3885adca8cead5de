#include "controllers/api/json/parts.hpp"

#include <string_view>

#include "client/api/json/metadata.hpp"
#include "controllers/api/fields.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::api::json {
namespace {

bool read_seconds(Reader& reader, value field, std::optional<std::int64_t>& out) {
  return is_null(field) || reader.integer(field, out.emplace());
}

}  // namespace

bool read_time(Reader& reader, value field, std::optional<runtime::WallTime>& out) {
  std::string_view text;
  if (!reader.view(field, text)) return false;
  out = runtime::parse_timestamp(text);
  return out || text.empty() || reader.fail("expected a time");
}

bool read_taint(Reader& reader, value item, DeviceTaint& taint) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "key") return reader.text(field, taint.key);
    if (key == "value") return reader.text(field, taint.value);
    if (key == "timeAdded") return read_time(reader, field, taint.time_added);
    if (key != "effect") return true;
    std::string_view effect;
    if (!reader.view(field, effect)) return false;
    taint.effect = effect_of(effect);
    return true;
  });
}

bool read_toleration(Reader& reader, value item, std::vector<DeviceToleration>& tolerations) {
  TolerationView view;
  const bool is_read = reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "key") return reader.view(field, view.key);
    if (key == "operator") return reader.view(field, view.operator_);
    if (key == "value") return reader.view(field, view.value_);
    if (key == "effect") return reader.view(field, view.effect);
    if (key == "tolerationSeconds") return read_seconds(reader, field, view.seconds);
    return true;
  });
  if (is_read) append(view, tolerations);
  return is_read;
}

namespace {

bool read_claim_status(Reader& reader, value item, PodClaimStatus& status) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, status.name);
    if (key != "resourceClaimName") return true;
    std::string_view name;
    if (!reader.view(field, name)) return false;
    // The server accepts no empty name: an empty view is a null.
    if (!name.empty()) status.claim_name.emplace(name);
    return true;
  });
}

}  // namespace

bool read_metadata(Reader& reader, value metadata, ClaimUser& user) {
  return read_metadata(reader, metadata, user.meta, [&](std::string_view key, value field) {
    if (key != "creationTimestamp") return true;
    std::optional<runtime::WallTime> created;
    if (!read_time(reader, field, created)) return false;
    user.created = created.value_or(runtime::WallTime{});
    return true;
  });
}

bool read_claim(Reader& reader, value item, PodClaim& claim) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, claim.name);
    if (key == "resourceClaimName") return reader.text(field, claim.claim_name);
    if (key == "resourceClaimTemplateName") return reader.text(field, claim.template_name);
    return true;
  });
}

bool read_claims(Reader& reader, value list, ClaimUser& user) {
  return reader.each_item(
      list, [&](value item) { return read_claim(reader, item, user.claims.emplace_back()); });
}

bool read_claim_statuses(Reader& reader, value list, ClaimUser& user) {
  const bool is_read = reader.each_item(list, [&](value item) {
    return read_claim_status(reader, item, user.claim_statuses.emplace_back());
  });
  sort_claim_statuses(user);
  return is_read;
}

bool read_consumer(Reader& reader, value item, ConsumerReference& consumer) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "apiGroup") return reader.text(field, consumer.group);
    if (key == "resource") return reader.text(field, consumer.resource);
    if (key == "name") return reader.text(field, consumer.name);
    if (key == "uid") return reader.text(field, consumer.uid);
    return true;
  });
}

namespace {

bool read_admin_access(Reader& reader, value flag, DeviceRequests& requests) {
  bool is_set = false;
  if (!reader.flag(flag, is_set)) return false;
  requests.has_admin_access |= is_set;
  return true;
}

bool read_exactly(Reader& reader, value exactly, DeviceRequests& requests) {
  return reader.each_field(exactly, [&](std::string_view key, value field) {
    return key != "adminAccess" || read_admin_access(reader, field, requests);
  });
}

bool read_first_available(Reader& reader, value list, DeviceRequests& requests) {
  return reader.each_item(list, [&](value) { return requests.has_prioritized_list = true; });
}

bool read_request(Reader& reader, value request, AdminAccessPlace place, DeviceRequests& requests) {
  const bool is_in_exactly = place == AdminAccessPlace::in_exactly;
  return reader.each_field(request, [&](std::string_view key, value field) {
    if (is_in_exactly && key == "exactly") return read_exactly(reader, field, requests);
    if (!is_in_exactly && key == "adminAccess") return read_admin_access(reader, field, requests);
    if (key == "firstAvailable") return read_first_available(reader, field, requests);
    return true;
  });
}

}  // namespace

AdminAccessPlace admin_access_place(std::string_view version) {
  return version == "v1beta1" ? AdminAccessPlace::in_request : AdminAccessPlace::in_exactly;
}

bool read_devices(Reader& reader, value devices, AdminAccessPlace place, DeviceRequests& requests) {
  return reader.each_field(devices, [&](std::string_view key, value field) {
    if (key != "requests") return true;
    return reader.each_item(
        field, [&](value request) { return read_request(reader, request, place, requests); });
  });
}

}  // namespace dcm::api::json
