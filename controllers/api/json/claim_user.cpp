#include "controllers/api/json/claim_user.hpp"

namespace dcm::api::json {
namespace {

bool read_claim(Reader& reader, value item, PodClaim& claim) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, claim.name);
    if (key == "resourceClaimName") return reader.text(field, claim.claim_name);
    if (key == "resourceClaimTemplateName") return reader.text(field, claim.template_name);
    return true;
  });
}

bool read_claim_status(Reader& reader, value item, PodClaimStatus& status) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, status.name);
    if (key != "resourceClaimName") return true;
    std::string_view name;
    if (!reader.view(field, name)) return false;
    // The server takes no empty name: an empty view is a null.
    if (!name.empty()) status.claim_name.emplace(name);
    return true;
  });
}

}  // namespace

bool read_claims(Reader& reader, value list, ClaimUser& user) {
  return reader.each_item(
      list, [&](value item) { return read_claim(reader, item, user.claims.emplace_back()); });
}

bool read_claim_statuses(Reader& reader, value list, ClaimUser& user) {
  return reader.each_item(list, [&](value item) {
    return read_claim_status(reader, item, user.claim_statuses.emplace_back());
  });
}

}  // namespace dcm::api::json
