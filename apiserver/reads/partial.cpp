#include "apiserver/reads/partial.hpp"

#include <fmt/format.h>

#include "apiserver/protobuf/protobuf.hpp"
#include "apiserver/reads/lists.hpp"
#include "apiserver/text/yaml.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kKind = "PartialObjectMetadata";
constexpr std::string_view kListKind = "PartialObjectMetadataList";

std::string group_version(const Form& form) {
  return "meta.k8s.io/" + form.version;
}

JsonObject metadata_of(const Stored& object) {
  return {{"metadata", object_at(*object, {"metadata"})}};
}

}  // namespace

std::string encode_partial(const Stored& object, const Form& form) {
  if (form.encoding == Encoding::protobuf) {
    return encode_protobuf(group_version(form), kKind, metadata_of(object));
  }
  return fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{}}})", kKind,
                     group_version(form), serialize(object_at(*object, {"metadata"})));
}

ListText partial_list_text(const JsonObject& metadata, const Form& form) {
  const std::string api_version = group_version(form);
  if (form.encoding == Encoding::json) {
    return json_list_text(kListKind, api_version, metadata,
                          [form](const Stored& object) { return encode_partial(object, form); });
  }
  return {.item =
              [api_version](const Stored& object) {
                return protobuf_list_item(
                    encode_protobuf_item(api_version, kKind, metadata_of(object)));
              },
          .between = "",
          .head =
              [=](std::size_t bytes) {
                return protobuf_list_head(api_version, kListKind, metadata, bytes);
              },
          .tail = "",
          .head_is_made = ListText::HeadIsMade::last};
}

void to_form(const Form& form, Response& response) {
  if (response.headers.empty() || response.headers.front().second != "application/json") return;
  // A megabyte in block style takes 0.2 s, in which nobody else is served. JSON is YAML, too.
  constexpr std::size_t kBlockStyleMax = 256 * 1024;
  if (form.as_yaml) response.headers.front().second = kYaml;
  const bool changes = form.encoding == Encoding::protobuf || form.shape == Form::Shape::metadata ||
                       (form.as_yaml && response.body.size() <= kBlockStyleMax);
  std::string problem;
  auto body = changes ? parse(response.body, problem) : std::nullopt;
  if (!body || !body->is_object()) return;
  JsonObject& object = body->get_object();
  const bool is_object = !text_at(object, {"metadata", "uid"}).empty();
  if (form.shape == Form::Shape::metadata && is_object) {
    object = {
        {"kind", kKind}, {"apiVersion", group_version(form)}, {"metadata", object["metadata"]}};
  }
  const std::string api_version(text_at(object, {"apiVersion"}));
  const std::string kind(text_at(object, {"kind"}));
  if (form.encoding == Encoding::protobuf) {
    if (!encodes_protobuf(api_version, kind)) return;
    response.body = encode_protobuf(api_version, kind, object);
    response.headers.front().second = kProtobuf;
    return;
  }
  response.body = serialize(object) + "\n";
  if (form.as_yaml && response.body.size() <= kBlockStyleMax) response.body = write_yaml(*body);
}

}  // namespace dcm::apiserver
