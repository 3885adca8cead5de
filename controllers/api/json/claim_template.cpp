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

std::size_t size_of(const StringMap& map) {
  std::size_t size = 0;
  for (const auto& [key, text] : map) size += key.size() + text.size();
  return size;
}

// What may be kept of templates: of one, and of all together.
constexpr std::size_t kContentBytesMax = std::size_t{16} * 1024;
constexpr std::size_t kAllContentBytesMax = std::size_t{32} * 1024 * 1024;

// What templates that live hold of it together.
class ContentBudget {
 public:
  // Nothing: there is none left. May outlive the budget.
  std::shared_ptr<const void> take(std::size_t bytes) const {
    if (bytes > kContentBytesMax || *taken_ + bytes > kAllContentBytesMax) return nullptr;
    *taken_ += bytes;
    return {taken_.get(), [taken = taken_, bytes](const void*) { *taken -= bytes; }};
  }

 private:
  std::shared_ptr<std::size_t> taken_ = std::make_shared<std::size_t>(0);
};

class TemplateFields {
 public:
  TemplateFields(json::AdminAccessPlace place, TemplateContent content)
      : place_(place), content_(content) {}

  bool read_field(Reader& reader, std::string_view key, value field,
                  ResourceClaimTemplate& result) const {
    if (key == "metadata") return json::read_metadata(reader, field, result.meta);
    if (key == "spec") return read_spec(reader, field, result);
    return true;
  }
  bool is_kept(const ResourceClaimTemplate&) const { return true; }

  void complete(ResourceClaimTemplate& result) const {
    result.content_bytes =
        result.claim_spec_json.size() + size_of(result.labels) + size_of(result.annotations);
    if (content_ == TemplateContent::all) return;
    result.share = budget_.take(result.content_bytes);
    if (result.share != nullptr) return;
    result.content = ResourceClaimTemplate::Content::left_out;
    result.labels.clear();
    result.annotations.clear();
    std::string().swap(result.claim_spec_json);  // an assignment would keep its memory
  }

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
    if (!raw.empty()) result.claim_spec_json = json::unescape_html(raw);
    result.uses_admin_access = requests.has_admin_access;
    result.uses_prioritized_list = requests.has_prioritized_list;
    return true;
  }

  json::AdminAccessPlace place_;
  TemplateContent content_;
  ContentBudget budget_;
};

}  // namespace

std::unique_ptr<Decoder<ResourceClaimTemplate>> make_json_template_decoder(
    std::string_view version, TemplateContent content) {
  return std::make_unique<json::JsonDecoder<ResourceClaimTemplate, TemplateFields>>(
      TemplateFields(json::admin_access_place(version), content));
}

}  // namespace dcm::api
