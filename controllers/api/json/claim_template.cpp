#include "client/api/json/decoder.hpp"
#include "controllers/api/json.hpp"
#include "controllers/api/json/device_requests.hpp"
#include "controllers/api/json/unescape_html.hpp"

namespace dcm::api {
namespace {

using json::Reader;
using json::value;
using StringMap = std::map<std::string, std::string>;

bool read_map(Reader& reader, value from, StringMap& map) {
  return reader.each_field(from, [&](std::string_view key, value field) {
    return reader.text(field, map[std::string(key)]);
  });
}

bool read_claim_metadata(Reader& reader, value metadata, ResourceClaimTemplate& result) {
  return reader.each_field(metadata, [&](std::string_view key, value field) {
    if (key == "labels") return read_map(reader, field, result.labels);
    if (key == "annotations") return read_map(reader, field, result.annotations);
    return true;
  });
}

class TemplateFields {
 public:
  TemplateFields(json::AdminAccessPlace place, TemplateBudget budget)
      : place_(place), budget_(std::move(budget)) {}

  bool read_field(Reader& reader, std::string_view key, value field,
                  ResourceClaimTemplate& result) const {
    if (key == "metadata") return json::read_metadata(reader, field, result.meta);
    if (key == "spec") return read_spec(reader, field, result);
    return true;
  }
  bool is_kept(const ResourceClaimTemplate&) const { return true; }

  void complete(ResourceClaimTemplate& result) const { budget_.settle(result); }

 private:
  bool read_spec(Reader& reader, value spec, ResourceClaimTemplate& result) const {
    return reader.each_field(spec, [&](std::string_view key, value field) {
      if (key == "metadata") return read_claim_metadata(reader, field, result);
      if (key == "spec") return read_claim_spec(reader, field, result);
      return true;
    });
  }

  bool read_claim_spec(Reader& reader, value spec, ResourceClaimTemplate& result) const {
    json::DeviceRequests requests;
    const auto on_field = [&](std::string_view key, value field) {
      return key != "devices" || json::read_devices(reader, field, place_, requests);
    };
    std::string_view raw;
    if (!reader.raw_object(spec, raw, on_field)) return false;
    if (!raw.empty()) result.claim_spec.bytes = json::unescape_html(raw);
    result.uses_admin_access = requests.has_admin_access;
    result.uses_prioritized_list = requests.has_prioritized_list;
    return true;
  }

  json::AdminAccessPlace place_;
  TemplateBudget budget_;
};

}  // namespace

std::unique_ptr<Decoder<ResourceClaimTemplate>> make_json_template_decoder(std::string_view version,
                                                                           TemplateBudget budget) {
  return std::make_unique<json::JsonDecoder<ResourceClaimTemplate, TemplateFields>>(
      TemplateFields(json::admin_access_place(version), std::move(budget)));
}

}  // namespace dcm::api
