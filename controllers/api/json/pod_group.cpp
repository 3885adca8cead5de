#include "client/api/json/decoder.hpp"
#include "controllers/api/json.hpp"
#include "controllers/api/json/claim_user.hpp"

namespace dcm::api {
namespace {

using json::Reader;
using json::value;

struct GroupFields {
  bool read_field(Reader& reader, std::string_view key, value field, PodGroup& group) const {
    if (key == "metadata") return json::read_metadata(reader, field, group.meta);
    if (key == "spec") {
      return reader.each_field(field, [&](std::string_view name, value part) {
        return name != "resourceClaims" || json::read_claims(reader, part, group);
      });
    }
    if (key != "status") return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      return name != "resourceClaimStatuses" || json::read_claim_statuses(reader, part, group);
    });
  }
  // Also one without claims: whether there is a group of that name matters to its pods.
  bool is_kept(const PodGroup&) const { return true; }
};

}  // namespace

std::unique_ptr<Decoder<PodGroup>> make_json_group_decoder() {
  return std::make_unique<json::JsonDecoder<PodGroup, GroupFields>>();
}

}  // namespace dcm::api
