#include "apiserver/reads/media.hpp"

#include "apiserver/protobuf/protobuf.hpp"
#include "apiserver/text/words.hpp"
#include "apiserver/text/yaml.hpp"

namespace dcm::apiserver {

namespace {

// Removes and returns the text before the next `separator`.
std::string_view take(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const std::string_view part = without_blanks(text.substr(0, end));
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return part;
}

MediaType parse_media_type(std::string_view text) {
  MediaType type;
  type.name = take(text, ';');
  while (!text.empty()) {
    std::string_view value = take(text, ';');
    const std::string key(take(value, '='));
    type.parameters.emplace(key, without_blanks(value));
  }
  return type;
}

// nullopt if this server cannot write it.
std::optional<Form> form_of(const MediaType& type) {
  if (!type.is_json() && !type.is_yaml() && !type.is_protobuf()) return std::nullopt;
  Form form;
  form.as_yaml = type.is_yaml();
  if (type.is_protobuf()) form.encoding = Encoding::protobuf;
  const std::string_view as = type.parameter("as");
  if (as.empty()) return form;
  form.version = type.parameter("v");
  const bool is_known = form.version == "v1" || form.version == "v1beta1";
  if (!is_known || type.parameter("g") != "meta.k8s.io") return std::nullopt;
  if (as.starts_with("PartialObjectMetadata")) {
    form.shape = Form::Shape::metadata;
    return form;
  }
  if (as != "Table" || type.is_protobuf()) return std::nullopt;
  form.shape = Form::Shape::table;
  return form;
}

}  // namespace

bool MediaType::is_json() const {
  return name == "application/json" || name == "application/*" || name == "*/*";
}

bool MediaType::is_yaml() const {
  return name == kYaml;
}

bool MediaType::is_protobuf() const {
  return name == kProtobuf;
}

std::string_view MediaType::parameter(std::string_view key) const {
  const auto found = parameters.find(key);
  return found == parameters.end() ? std::string_view() : std::string_view(found->second);
}

std::vector<MediaType> parse_accept(std::string_view header) {
  std::vector<MediaType> types;
  while (!header.empty()) {
    const std::string_view text = take(header, ',');
    if (!text.empty()) types.push_back(parse_media_type(text));
  }
  return types;
}

std::optional<Form> choose_form(std::string_view accept, Protobuf protobuf) {
  if (without_blanks(accept).empty()) return Form{};
  for (const MediaType& type : parse_accept(accept)) {
    const auto form = form_of(type);
    const bool is_object_in_protobuf =
        form && form->encoding == Encoding::protobuf && form->shape == Form::Shape::object;
    if (form && (!is_object_in_protobuf || protobuf == Protobuf::of_objects)) return form;
  }
  return std::nullopt;
}

}  // namespace dcm::apiserver
