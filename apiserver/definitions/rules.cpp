#include "apiserver/definitions/rules.hpp"

#include <algorithm>

#include "apiserver/definitions/field_path.hpp"
#include "apiserver/text/words.hpp"
#include "cel/ast.hpp"
#include "cel/kubernetes/libraries.hpp"

namespace dcm::apiserver {

namespace {

bool has_rules(const Structural* schema) {
  if (schema == nullptr) return false;
  if (!schema->rules.empty() || has_rules(schema->items.get()) || has_rules(schema->values.get())) {
    return true;
  }
  return std::ranges::any_of(schema->properties,
                             [](const auto& property) { return has_rules(&property.second); });
}

bool mentions(const cel::Expr& expr, std::string_view name) {
  if (expr.kind == cel::Expr::Kind::identifier && expr.name == name) return true;
  return std::ranges::any_of(expr.args, [&](const cel::Expr* arg) { return mentions(*arg, name); });
}

}  // namespace

std::unique_ptr<const Rules> Rules::compile(const Structural& schema, IsResource resource) {
  if (!has_rules(&schema)) return nullptr;
  return std::unique_ptr<const Rules>(new Rules(schema, resource));
}

Rules::Rules(const Structural& schema, IsResource resource) : schema_(schema), resource_(resource) {
  if (!schema.rules.empty()) compile_own();
  for (const auto& [name, property] : schema.properties) {
    if (auto rules = compile(property, resource_of(property))) {
      properties_.emplace(name, std::move(rules));
    }
  }
  if (schema.items != nullptr) items_ = compile(*schema.items, resource_of(*schema.items));
  if (schema.values != nullptr) values_ = compile(*schema.values, resource_of(*schema.values));
}

void Rules::compile_own() {
  static const auto kFunctions = [] {
    auto library = std::make_unique<cel::Library>();
    cel::add_kubernetes(*library);
    return library;
  }();
  const bool has_optional = std::ranges::any_of(
      schema_.rules, [](const RuleText& rule) { return rule.optional_old_self.value_or(false); });
  for (auto* library : {&library_, &optional_library_}) {
    if (library == &optional_library_ && !has_optional) continue;
    *library = std::make_unique<cel::Library>(kFunctions.get());
    type_ = declare_type(schema_, resource_, **library);
    if (!type_) return;
    const cel::Type* const old =
        library == &library_ ? type_->type : (*library)->types().optional(type_->type);
    (*library)->add_variable("self", type_->type);
    (*library)->add_variable("oldSelf", old);
    // A real server gives the value's size limit to all names, even to those of types.
    (*library)->add_size_limit([this](std::span<const std::string> path) {
      return path.empty() ? std::nullopt : type_->size_of(path.subspan(1));
    });
  }
  for (const RuleText& text : schema_.rules) compiled_.push_back(compile_rule(text));
}

CompiledRule Rules::compile_rule(const RuleText& text) {
  CompiledRule rule{&text};
  if (is_blank(text.rule)) return rule;
  const bool is_optional = text.optional_old_self.value_or(false);
  const cel::Library& library = is_optional ? *optional_library_ : *library_;
  const auto returns = [](cel::Type::Kind kind, std::string_view problem) {
    return [=](const cel::Type& type) -> std::optional<std::string> {
      if (type.kind() == kind) return std::nullopt;
      return "\n" + std::string(problem);  // to distinguish it from compiler errors
    };
  };
  const auto told = [](std::string_view before, const std::string& error) {
    return error.starts_with('\n') ? error.substr(1) : std::string(before) + error;
  };
  auto program = cel::Program::compile(
      text.rule, library,
      returns(cel::Type::Kind::boolean, "cel expression must evaluate to a bool"));
  if (!program) {
    rule.error = told("", program.error());
    return rule;
  }
  rule.program = std::move(*program);
  rule.uses_old = mentions(rule.program->root(), "oldSelf");
  if (!text.message_expression.empty()) {
    auto message = cel::Program::compile(
        text.message_expression, *library_,
        returns(cel::Type::Kind::string, "messageExpression must evaluate to a string"));
    if (message) {
      rule.message = std::move(*message);
    } else {
      rule.message_error = told("messageExpression ", message.error());
    }
  }
  const auto field = find_field(text.field_path, schema_, ArrayNotation::accepted);
  if (field && !text.field_path.empty()) rule.field = field->path;
  return rule;
}

}  // namespace dcm::apiserver
