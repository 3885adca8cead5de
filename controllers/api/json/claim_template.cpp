#include <array>
#include <tuple>
#include <utility>

#include "client/api/json/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/json/parts.hpp"

namespace dcm::api {
namespace {

using json::Reader;
using json::value;
using StringMap = std::map<std::string, std::string>;

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEscapes = {{
    {"\\u003c", "<"},
    {"\\u003e", ">"},
    {"\\u0026", "&"},
    {"\\u2028", "\xe2\x80\xa8"},
    {"\\u2029", "\xe2\x80\xa9"},
}};

// The same value, without escapes that JSON does not need. For HTML, Go writes "<", ">", "&" and
// two line separators as six characters each: an object can be six times as large on the wire as it
// is stored. `json` must be valid; invalid input gives other text of no larger size.
std::string unescape_html(std::string_view json) {
  std::string out;
  while (true) {
    const std::size_t backslash = json.find('\\');
    out.append(json.substr(0, backslash));
    if (backslash == std::string_view::npos) return out;
    json.remove_prefix(backslash);
    std::string_view taken = json.substr(0, 2);  // an escaped backslash counts as one character
    std::string_view plain = taken;
    for (const auto& [escape, character] : kEscapes) {
      if (json.starts_with(escape)) std::tie(taken, plain) = std::pair(escape, character);
    }
    out.append(plain);
    json.remove_prefix(taken.size());
  }
}

bool read_map(Reader& reader, value from, StringMap& map) {
  return reader.each_field(from, [&](std::string_view key, value field) {
    return reader.count_item() && reader.text(field, map[std::string(key)]);
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
  static constexpr std::string_view kKind = "ResourceClaimTemplate";

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
    DeviceRequests requests;
    const auto on_field = [&](std::string_view key, value field) {
      return key != "devices" || json::read_devices(reader, field, place_, requests);
    };
    std::string_view raw;
    if (!reader.raw_object(spec, raw, on_field)) return false;
    if (!raw.empty()) result.claim_spec.bytes = unescape_html(raw);
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
