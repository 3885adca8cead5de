#include "client/api/json/unstructured.hpp"

#include <utility>

#include "client/api/json/decoder.hpp"
#include "client/api/json/field_value.hpp"

namespace dcm::api::json {
namespace {

constexpr auto set_owner = [](ControllerRef owner, Unstructured& out) {
  out.owner = std::move(owner);
};
constexpr auto kMetadata = rows(row<"metadata">(metadata(
    row<"generation">(&Unstructured::generation), row<"labels">(&Unstructured::labels),
    row<"annotations">(&Unstructured::annotations), row<"finalizers">(&Unstructured::finalizers),
    row<"ownerReferences">(controller(set_owner)))));

struct UnstructuredFields {
  bool read_field(std::string_view, std::string_view key, const Source& from,
                  Unstructured& object) const {
    if (key == "metadata") return api::read_field(kMetadata, key, from, object);
    value part = from.from();
    RawJson raw;
    if (!from.count_item() || !read_json(FieldValue(from.reader(), &part), raw)) return false;
    if (!raw.text.empty()) object.fields.insert_or_assign(std::string(key), std::move(raw.text));
    return true;
  }
  bool is_kept(const Unstructured&) const { return true; }
};

}  // namespace

const std::string* Unstructured::find(std::string_view field) const {
  const auto found = fields.find(field);
  return found == fields.end() ? nullptr : &found->second;
}

std::unique_ptr<Decoder<Unstructured>> make_unstructured_decoder() {
  return std::make_unique<JsonDecoder<Unstructured, UnstructuredFields>>();
}

}  // namespace dcm::api::json
