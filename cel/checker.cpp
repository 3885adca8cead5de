#include "cel/checker.hpp"

#include <algorithm>

#include "cel/inference.hpp"
#include "cel/messages.hpp"
#include "cel/names.hpp"

namespace dcm::cel {
namespace {

using K = Type::Kind;
using Types = std::vector<const Type*>;

bool is_error(const Type* type) {
  return type->kind() == K::error;
}

class Checker {
 public:
  Checker(const Library& library, TypePool& pool)
      : library_(library), pool_(pool), inference_(pool) {}

  std::vector<Issue> run(Expr& root) {
    check(root);
    for (Expr* expr : checked_) expr->type = inference_.substitute(expr->type, true);
    if (inference_.is_exhausted()) return {{0, "the types are too complex"}};
    return std::move(issues_);
  }

 private:
  struct Local {
    std::string_view name;
    const Type* type;
  };

  void report(const Expr& at, std::string message) {
    issues_.push_back({at.offset, std::move(message)});
  }

  void report_mismatch(const Expr& at, const Type* wanted, const Type* found) {
    report(at, "expected type '" + text(wanted) + "' but found '" + text(found) + "'");
  }

  std::string text(const Type* type) {
    const Type* const known = inference_.substitute(type, true);
    return inference_.is_exhausted() ? "" : known->text();
  }

  // A node that macros have inserted in two places is checked once.
  const Type* check(Expr& expr) {
    if (expr.type != nullptr) return expr.type;
    expr.type = type_of(expr);
    checked_.push_back(&expr);
    return expr.type;
  }

  const Type* type_of(Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::literal:
        return type_of_kind(expr.literal.kind());
      case Expr::Kind::identifier:
        return type_of_identifier(expr);
      case Expr::Kind::select:
        return type_of_select(expr);
      case Expr::Kind::call:
        return type_of_call(expr);
      case Expr::Kind::list:
        return type_of_list(expr);
      case Expr::Kind::map:
        return type_of_map(expr);
      case Expr::Kind::message:
        return type_of_message(expr);
      case Expr::Kind::fold:
        return type_of_fold(expr);
    }
    return &types::error;
  }

  const Type* find_local(std::string_view name) const {
    const auto found = std::find_if(locals_.rbegin(), locals_.rend(),
                                    [&](const Local& l) { return l.name == name; });
    return found == locals_.rend() ? nullptr : found->type;
  }

  // A variable of the library, or the name of a type.
  const Type* resolve_global(Expr& expr, std::string_view name) {
    if (name.starts_with('.')) name.remove_prefix(1);
    if (const auto* variable = library_.find_variable(name)) {
      // A loop variable hides a global one, unless that is written with a dot.
      const std::string_view dot = find_local(name) != nullptr ? "." : "";
      expr.kind = Expr::Kind::identifier;
      expr.name = std::string(dot) + std::string(name);
      return variable->type;
    }
    if (const Type* const type = library_.find_type(name)) {
      expr.denoted = type;
      return pool_.type_of(type);
    }
    return nullptr;
  }

  const Type* type_of_identifier(Expr& expr) {
    if (const Type* const local = find_local(expr.name)) return local;
    if (const Type* const global = resolve_global(expr, expr.name)) return global;
    report(expr, "undeclared reference to '" + expr.name + "' (in container '')");
    return &types::error;
  }

  // "a.b.c" for selects on an identifier that is no local variable; empty otherwise.
  std::string qualified_name(const Expr& expr) const {
    if (expr.kind == Expr::Kind::identifier)
      return find_local(expr.name) == nullptr ? expr.name : "";
    if (expr.kind != Expr::Kind::select || expr.is_test) return "";
    const std::string prefix = qualified_name(*expr.args[0]);
    return prefix.empty() ? "" : prefix + "." + expr.name;
  }

  static std::string without_dot(const std::string& name) {
    return name.starts_with('.') ? name.substr(1) : name;
  }

  const Type* type_of_select(Expr& expr) {
    if (!expr.is_test)
      if (const std::string name = qualified_name(expr); !name.empty())
        if (const Type* const global = resolve_global(expr, name)) return global;
    const Type* const field = type_of_field(expr, *expr.args[0], expr.name, false);
    return expr.is_test ? &types::boolean : inference_.substitute(field, false);
  }

  const Type* type_of_field(const Expr& expr, Expr& operand, const std::string& field,
                            bool is_optional) {
    const Type* target = inference_.substitute(check(operand), false);
    const bool was_optional = target->kind() == K::optional;
    if (was_optional) target = &target->parameter(0);
    const Type* result = &types::dyn;
    switch (target->kind()) {
      case K::map:
        result = &target->parameter(1);
        break;
      case K::object:
        result = type_of_object_field(expr, target->name(), field);
        break;
      case K::parameter:
        inference_.is_assignable(&types::dyn, target);
        break;
      default:
        if (!target->is_dynamic() && !is_error(target))
          report(expr, "type '" + text(target) + "' does not support field selection");
    }
    return was_optional || is_optional ? pool_.optional(result) : result;
  }

  const Type* type_of_object_field(const Expr& expr, std::string_view object,
                                   const std::string& field) {
    const auto* fields = library_.find_object(object);
    if (fields == nullptr) {
      const bool has_name = library_.find_type(object) != nullptr;
      report(expr, has_name ? "type '" + std::string(object) + "' does not support field selection"
                            : "unexpected failed resolution of '" + std::string(object) + "'");
      return &types::error;
    }
    const auto found = fields->find(field);
    if (found != fields->end()) return found->second;
    report(expr, "undefined field '" + field + "'");
    return &types::error;
  }

  const Type* type_of_call(Expr& expr) {
    if (expr.name == op::kOptionalSelect) {
      const std::string field(expr.args[1]->literal.as_text());
      check(*expr.args[1]);
      const Type* const type = type_of_field(expr, *expr.args[0], field, true);
      expr.overloads = *library_.find_function(op::kOptionalSelect);
      return inference_.substitute(type, false);
    }
    for (std::size_t i = expr.is_member ? 1 : 0; i < expr.args.size(); ++i) check(*expr.args[i]);
    if (expr.is_member) {
      // "sets.contains(a, b)" is a function of that name, unless there is a variable "sets".
      const std::string name = without_dot(qualified_name(*expr.args[0])) + "." + expr.name;
      if (!name.starts_with('.') && library_.find_function(name) != nullptr) {
        expr.name = name;
        expr.args.erase(expr.args.begin());
        expr.is_member = false;
      } else {
        check(*expr.args[0]);
      }
    }
    const auto* function = library_.find_function(without_dot(expr.name));
    if (function != nullptr) {
      expr.name = without_dot(expr.name);
      return resolve(expr, *function);
    }
    report(expr, "undeclared reference to '" + expr.name + "' (in container '')");
    return &types::error;
  }

  const Type* resolve_logic(Expr& expr, const Overload* overload) {
    bool fits = true;
    for (const Expr* arg : expr.args) {
      if (inference_.is_assignable(arg->type, &types::boolean)) continue;
      report_mismatch(*arg, &types::boolean, arg->type);
      fits = false;
    }
    expr.overloads = {overload};
    return fits ? &types::boolean : &types::error;
  }

  const Type* resolve(Expr& expr, const std::vector<const Overload*>& function) {
    if (expr.name == op::kAnd || expr.name == op::kOr) return resolve_logic(expr, function[0]);
    Types args;
    for (const Expr* arg : expr.args) args.push_back(arg->type);
    const Type* result = nullptr;
    for (const Overload* overload : function) {
      if (overload->is_member != expr.is_member) continue;
      std::map<std::string_view, const Type*> variables;
      Types wanted;
      for (const Type* arg : overload->args)
        wanted.push_back(inference_.instantiate(arg, variables));
      if (!inference_.are_assignable(args, wanted)) continue;
      expr.overloads.push_back(overload);
      const Type* const type =
          inference_.substitute(inference_.instantiate(overload->result, variables), false);
      if (result == nullptr)
        result = type;
      else if (!result->is_dynamic() && !inference_.is_exhausted() && !type->is_same(*result))
        result = &types::dyn;
    }
    if (result != nullptr) return result;
    report(expr, "found no matching overload for '" + expr.name + "' applied to '" +
                     signature(expr, args) + "'");
    return &types::error;
  }

  std::string signature(const Expr& expr, const Types& args) {
    std::string result;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (i > (expr.is_member ? 1U : 0U)) result += ", ";
      result += text(args[i]);
      if (i == 0 && expr.is_member) result += ".(";
    }
    return (expr.is_member ? result : "(" + result) + ")";
  }

  // The value of an entry written as ?x.
  const Type* unwrap(const Expr& at, const Type* type) {
    if (type->kind() == K::optional) return &type->parameter(0);
    if (!type->is_dynamic()) report_mismatch(at, pool_.optional(type), type);
    return type;
  }

  const Type* join(const Type* previous, const Type* current) {
    if (previous == nullptr) return current;
    return inference_.is_assignable(previous, current) ? inference_.most_general(previous, current)
                                                       : &types::dyn;
  }

  const Type* type_of_list(Expr& expr) {
    const Type* element = nullptr;
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      const Type* type = check(*expr.args[i]);
      if (!expr.optionals.empty() && expr.optionals[i]) type = unwrap(*expr.args[i], type);
      element = join(element, type);
    }
    return pool_.list(element == nullptr ? inference_.new_variable() : element);
  }

  const Type* type_of_map(Expr& expr) {
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (std::size_t i = 0; i < expr.args.size(); i += 2) {
      key = join(key, check(*expr.args[i]));
      const Type* type = check(*expr.args[i + 1]);
      if (!expr.optionals.empty() && expr.optionals[i / 2]) type = unwrap(*expr.args[i + 1], type);
      value = join(value, type);
    }
    if (key == nullptr) {
      key = inference_.new_variable();
      value = inference_.new_variable();
    }
    return pool_.map(key, value);
  }

  const Type* type_of_message(Expr& expr) {
    const Message* const message = find_message(expr.name);
    if (message == nullptr) {
      const bool is_type = library_.find_type(expr.name) != nullptr;
      report(expr, is_type ? "'" + expr.name + "' is not a message type"
                           : "undeclared reference to '" + expr.name + "' (in container '')");
      return &types::error;
    }
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      const Type* type = check(*expr.args[i]);
      if (expr.optionals[i]) type = unwrap(*expr.args[i], type);
      const Type* const wanted = field_type(*message, expr.fields[i]);
      if (wanted == nullptr) {
        report(*expr.args[i], "undefined field '" + expr.fields[i] + "'");
      } else if (!inference_.is_assignable(wanted, type)) {
        report(*expr.args[i], "expected type of field '" + expr.fields[i] + "' is '" +
                                  text(wanted) + "' but provided type is '" + text(type) + "'");
      }
    }
    return message->type;
  }

  const Type* type_of_fold(Expr& expr) {
    const Type* const range = inference_.substitute(check(*expr.args[kRange]), false);
    const Type* const accumulator = check(*expr.args[kInit]);
    const auto size = locals_.size();
    locals_.push_back({expr.fields[kAccumulator], accumulator});
    const bool has_second = !expr.fields[kSecond].empty();
    const Type* first = &types::dyn;
    const Type* second = &types::dyn;
    switch (range->kind()) {
      case K::list:
        first = has_second ? &types::integer : &range->parameter(0);
        second = &range->parameter(0);
        break;
      case K::map:
        first = &range->parameter(0);
        second = &range->parameter(1);
        break;
      case K::dyn:
      case K::error:
      case K::parameter:
        inference_.is_assignable(&types::dyn, range);
        break;
      default:
        report(*expr.args[kRange],
               "expression of type '" + text(range) +
                   "' cannot be range of a comprehension (must be list, map, or dynamic)");
        first = second = &types::error;
    }
    locals_.push_back({expr.fields[kVariable], first});
    if (has_second) locals_.push_back({expr.fields[kSecond], second});
    expect(*expr.args[kCondition], &types::boolean);
    expect(*expr.args[kStep], accumulator);
    locals_.resize(size + 1);
    const Type* const result = check(*expr.args[kResult]);
    locals_.resize(size);
    return inference_.substitute(result, false);
  }

  void expect(Expr& expr, const Type* wanted) {
    const Type* const type = check(expr);
    if (!inference_.is_assignable(wanted, type)) report_mismatch(expr, wanted, type);
  }

  const Library& library_;
  TypePool& pool_;
  Inference inference_;
  std::vector<Local> locals_;
  std::vector<Expr*> checked_;
  std::vector<Issue> issues_;
};

}  // namespace

std::vector<Issue> check(Ast& ast, const Library& library, TypePool& types) {
  return Checker(library, types).run(*ast.root);
}

}  // namespace dcm::cel
