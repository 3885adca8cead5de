#include "controllers/api/resource_claim_template.hpp"

#include <array>
#include <tuple>
#include <utility>

#include "client/api/json/decoder.hpp"
#include "client/api/protobuf/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/fields/parts.hpp"

namespace dcm::api {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEscapes = {{
    {"\\u003c", "<"},
    {"\\u003e", ">"},
    {"\\u0026", "&"},
    {"\\u2028", "\xe2\x80\xa8"},
    {"\\u2029", "\xe2\x80\xa9"},
}};

// The same value, without escapes that JSON does not need. For HTML, Go writes "<", ">", "&" and
// two line separators as six characters each: an object can be six times as large on the wire as it
// is stored. `json` must be valid; invalid input gives some other text that is not longer.
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

void take_requests(DeviceRequests requests, ResourceClaimTemplate& result) {
  result.uses_admin_access = requests.has_admin_access;
  result.uses_prioritized_list = requests.has_prioritized_list;
}

void take_claim_spec(std::string_view bytes, Format format, ResourceClaimTemplate& result) {
  result.claim_spec = {format == Format::json ? unescape_html(bytes) : std::string(bytes), format};
}

template <class Requests>
constexpr auto template_rows(Requests requests) {
  using Template = ResourceClaimTemplate;
  return rows(
      row<"metadata", 1>(metadata()),
      row<"spec", 2>(rows(
          row<"metadata", 1>(rows(row<"labels", 11>(&Template::labels),
                                  row<"annotations", 12>(&Template::annotations))),
          row<"spec", 2>(raw(rows(row<"devices", 1>(one<DeviceRequests>(requests, take_requests))),
                             take_claim_spec)))));
}
constexpr auto kTemplate = template_rows(device_requests());
constexpr auto kTemplateV1beta1 = template_rows(device_requests_v1beta1());

struct TemplateFields {
  static constexpr std::string_view kKind = "ResourceClaimTemplate";

  bool read_field(std::string_view version, const auto& key, const auto& from,
                  ResourceClaimTemplate& result) const {
    return is_v1beta1(version) ? api::read_field(kTemplateV1beta1, key, from, result)
                               : api::read_field(kTemplate, key, from, result);
  }
  bool is_kept(const ResourceClaimTemplate&) const { return true; }
  void complete(ResourceClaimTemplate& result) const { budget.settle(result); }

  TemplateBudget budget;
};

std::size_t size_of(const std::map<std::string, std::string>& map) {
  std::size_t size = 0;
  for (const auto& [key, text] : map) size += key.size() + text.size();
  return size;
}

constexpr std::size_t kAllContentBytesMax = std::size_t{32} * 1024 * 1024;

}  // namespace

void TemplateBudget::settle(ResourceClaimTemplate& result) const {
  result.content_bytes =
      result.claim_spec.bytes.size() + size_of(result.labels) + size_of(result.annotations);
  if (content_ == TemplateContent::all) return;
  result.share = take(result.meta.key.namespace_, result.content_bytes);
  if (result.share != nullptr) return;
  result.content = ResourceClaimTemplate::Content::left_out;
  result.labels.clear();
  result.annotations.clear();
  std::string().swap(result.claim_spec.bytes);  // an assignment would keep its memory
}

std::shared_ptr<const void> TemplateBudget::take(const InternedString& namespace_,
                                                 std::size_t bytes) const {
  if (bytes > kTemplateBytesKept) return nullptr;
  const auto known = taken_->by_namespace.find(namespace_);
  const std::size_t own = known == taken_->by_namespace.end() ? 0 : known->second;
  if (own + bytes > kAllContentBytesMax - taken_->bytes) return nullptr;
  taken_->by_namespace[namespace_] += bytes;
  taken_->bytes += bytes;
  return {taken_.get(), [taken = taken_, namespace_, bytes](const void*) {
            taken->bytes -= bytes;
            const auto own = taken->by_namespace.find(namespace_);
            own->second -= bytes;
            if (own->second == 0) taken->by_namespace.erase(own);
          }};
}

std::unique_ptr<Decoder<ResourceClaimTemplate>> make_json_template_decoder(std::string_view version,
                                                                           TemplateBudget budget) {
  return json::make_decoder<ResourceClaimTemplate>(TemplateFields{std::move(budget)}, version);
}

std::unique_ptr<Decoder<ResourceClaimTemplate>> make_protobuf_template_decoder(
    TemplateBudget budget) {
  return protobuf::make_decoder<ResourceClaimTemplate>(TemplateFields{std::move(budget)});
}

}  // namespace dcm::api
