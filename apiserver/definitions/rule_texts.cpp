#include "apiserver/definitions/rule_texts.hpp"

#include <optional>

#include "apiserver/definitions/field_path.hpp"
#include "apiserver/rules/checks.hpp"
#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

namespace {

bool has_line_break(std::string_view text) {
  return trimmed(text).find_first_of("\n\r") != std::string_view::npos;
}

// Reads the schema when the first rule names a field.
class LazySchema {
 public:
  explicit LazySchema(const JsonObject& schema) : schema_(schema) {}

  const Structural& get() {
    if (!read_) read_ = read_structural(schema_);
    return *read_;
  }

 private:
  const JsonObject& schema_;
  std::optional<Structural> read_;
};

void validate_reason_and_path(LazySchema& schema, const JsonObject& rule, const std::string& path,
                              Causes& causes) {
  if (has(rule, {"reason"})) {
    validate_choice(
        text_at(rule, {"reason"}),
        {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"},
        path + ".reason", causes);
  }
  const std::string_view field = text_at(rule, {"fieldPath"});
  if (field.empty()) return;
  const auto refuse = [&](std::string_view why) {
    causes.push_back(invalid_value(path + ".fieldPath", Json(field), why));
  };
  if (is_blank(field)) refuse("must be non-empty if specified");
  if (field.find_first_of("\n\r") != std::string_view::npos) refuse("must not contain line breaks");
  if (!find_field(field, schema.get(), ArrayNotation::accepted)) {
    refuse("must be a valid path");
  }
}

void validate_rule_text(LazySchema& schema, const JsonObject& rule, const std::string& path,
                        Causes& causes) {
  const std::string_view text = text_at(rule, {"rule"});
  const std::string_view message = text_at(rule, {"message"});
  if (is_blank(text)) {
    causes.push_back(required_value(path + ".rule", "rule is not specified"));
  } else if (!message.empty() && is_blank(message)) {
    causes.push_back(
        invalid_value(path + ".message", Json(message), "must be non-empty if specified"));
  } else if (has_line_break(message)) {
    causes.push_back(
        invalid_value(path + ".message", Json(message), "must not contain line breaks"));
  } else if (has_line_break(text) && is_blank(message)) {
    causes.push_back(required_value(path + ".message",
                                    "message must be specified if rule contains line breaks"));
  }
  const std::string_view expression = text_at(rule, {"messageExpression"});
  if (!expression.empty() && is_blank(expression)) {
    causes.push_back(required_value(path + ".messageExpression",
                                    "messageExpression must be non-empty if specified"));
  }
  validate_reason_and_path(schema, rule, path, causes);
}

}  // namespace

void validate_rule_texts(const JsonObject& schema, const std::string& path, Causes& causes) {
  LazySchema read(schema);
  const JsonArray& rules = array_at(schema, {"x-kubernetes-validations"});
  for (const auto& [rule, at] : with_paths(rules, path + ".x-kubernetes-validations")) {
    validate_rule_text(read, rule, at, causes);
  }
}

}  // namespace dcm::apiserver
