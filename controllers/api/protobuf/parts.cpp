#include "controllers/api/protobuf/parts.hpp"

#include "client/api/protobuf/metadata.hpp"
#include "controllers/api/fields.hpp"

namespace dcm::api::protobuf {
namespace {

// Where the read fields of a request are: adminAccess is below `exactly`, except in v1beta1.
struct RequestNumbers {
  std::uint32_t exactly;  // 0: none
  std::uint32_t admin_access;
  std::uint32_t first_available;
};
constexpr RequestNumbers kNumbers{.exactly = 2, .admin_access = 5, .first_available = 3};
constexpr RequestNumbers kV1beta1{.exactly = 0, .admin_access = 6, .first_available = 7};

void read_admin_access(const Field& request, std::uint32_t number, DeviceRequests& requests) {
  each_field(request, [&](const Field& field) {
    if (field.number() == number) requests.has_admin_access |= field.flag();
  });
}

void read_request(const Field& request, const RequestNumbers& numbers, DeviceRequests& requests) {
  if (numbers.exactly == 0) read_admin_access(request, numbers.admin_access, requests);
  each_field(request, [&](const Field& field) {
    if (field.number() == numbers.first_available) requests.has_prioritized_list = true;
    if (field.number() == numbers.exactly) read_admin_access(field, numbers.admin_access, requests);
  });
}

}  // namespace

bool is_v1beta1(std::string_view api_version) {
  return api_version.ends_with("/v1beta1");
}

DeviceTaint read_taint(const Field& from) {
  DeviceTaint taint;
  each_field(from, [&](const Field& field) {
    if (field.number() == 1) taint.key = InternedString(field.text());
    if (field.number() == 2) taint.value = InternedString(field.text());
    if (field.number() == 3) taint.effect = effect_of(field.bytes());
    if (field.number() == 4) taint.time_added = read_time(field);
  });
  return taint;
}

void read_toleration(const Field& from, std::vector<DeviceToleration>& tolerations) {
  TolerationView toleration;
  each_field(from, [&](const Field& field) {
    if (field.number() == 1) toleration.key = field.text();
    if (field.number() == 2) toleration.operator_ = field.bytes();
    if (field.number() == 3) toleration.value_ = field.text();
    if (field.number() == 4) toleration.effect = field.bytes();
    if (field.number() == 5) toleration.seconds = field.integer();
  });
  append(toleration, tolerations);
}

DeviceRequests read_claim_spec(const Field& spec, std::string_view api_version) {
  const RequestNumbers& numbers = is_v1beta1(api_version) ? kV1beta1 : kNumbers;
  DeviceRequests requests;
  each_field(spec, [&](const Field& devices) {
    if (devices.number() != 1) return;
    each_field(devices, [&](const Field& request) {
      if (request.number() == 1) read_request(request, numbers, requests);
    });
  });
  return requests;
}

void read_metadata(const Field& metadata, ClaimUser& user) {
  constexpr std::uint32_t kCreationTimestamp = 8;
  read_metadata(metadata, user.meta, [&](const Field& field) {
    if (field.number() != kCreationTimestamp) return;
    user.created = read_time(field).value_or(runtime::WallTime{});
  });
}

void read_claim(const Field& entry, ClaimSourceNumbers numbers, ClaimUser& user) {
  PodClaim& claim = user.claims.emplace_back();
  each_field(entry, [&](const Field& field) {
    if (field.number() == 1) claim.name = InternedString(field.text());
    if (field.number() == numbers.claim) claim.claim_name = field.text();
    if (field.number() == numbers.claim_template) claim.template_name = field.text();
  });
}

void read_claim_status(const Field& entry, ClaimUser& user) {
  PodClaimStatus& status = user.claim_statuses.emplace_back();
  each_field(entry, [&](const Field& field) {
    if (field.number() == 1) status.name = InternedString(field.text());
    // The server accepts no empty name.
    if (field.number() == 2 && !field.bytes().empty()) status.claim_name.emplace(field.text());
  });
}

}  // namespace dcm::api::protobuf
