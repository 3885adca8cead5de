#include "cel/macros.hpp"

#include <algorithm>
#include <optional>

#include "cel/names.hpp"

namespace dcm::cel {
namespace {

using Args = std::vector<Expr*>;

// Creates the parts of an expansion, at the call's position.
class Maker {
 public:
  Maker(Ast& ast, std::uint32_t offset) : ast_(ast), offset_(offset) {}

  Expr* literal(Value value) {
    return node({.kind = Expr::Kind::literal, .offset = offset_, .literal = value});
  }
  Expr* identifier(std::string_view name) {
    return node({.kind = Expr::Kind::identifier, .offset = offset_, .name = std::string(name)});
  }
  Expr* accumulator() { return identifier(kAccumulatorName); }
  Expr* call(std::string_view function, Args args) {
    return node({.kind = Expr::Kind::call,
                 .offset = offset_,
                 .name = std::string(function),
                 .args = std::move(args)});
  }
  Expr* member(std::string_view function, Args args) {
    Expr* const made = call(function, std::move(args));
    made->is_member = true;
    return made;
  }
  Expr* list(Args elements) {
    return node({.kind = Expr::Kind::list, .offset = offset_, .args = std::move(elements)});
  }
  Expr* map() { return node({.kind = Expr::Kind::map, .offset = offset_}); }
  Expr* presence(const Expr& select) {
    return node({.kind = Expr::Kind::select,
                 .is_test = true,
                 .offset = offset_,
                 .name = select.name,
                 .args = select.args});
  }
  Expr* fold(std::vector<std::string> names, Args parts) {
    return node({.kind = Expr::Kind::fold,
                 .offset = offset_,
                 .args = std::move(parts),
                 .fields = std::move(names)});
  }
  // `name` is bound to `init` within `result`.
  Expr* bind(std::string_view name, Expr* init, Expr* result) {
    return fold({"#unused", "", std::string(name)},
                {list({}), init, literal(Value::boolean(false)), identifier(name), result});
  }
  // A loop with the hidden accumulator, whose result is the accumulator.
  Expr* loop(const std::vector<std::string>& variables, Expr* range, Expr* init, Expr* condition,
             Expr* step) {
    return fold(
        {variables[0], variables.size() > 1 ? variables[1] : "", std::string(kAccumulatorName)},
        {range, init, condition, step, accumulator()});
  }
  Expr* yes() { return literal(Value::boolean(true)); }
  Expr* only_if(Expr* filter, Expr* step) {
    return filter == nullptr ? step : call(op::kConditional, {filter, step, accumulator()});
  }

 private:
  Expr* node(Expr expr) {
    for (const Expr* arg : expr.args) expr.depth = std::max(expr.depth, arg->depth + 1);
    return ast_.make(std::move(expr));
  }

  Ast& ast_;
  std::uint32_t offset_;
};

MacroResult fail(const Expr& at, std::string text) {
  return {nullptr, std::move(text), at.offset};
}

// Names of the loop's variables: the first `count` arguments.
std::vector<std::string> variables_of(const Args& args, std::size_t count, MacroResult& result,
                                      std::string_view text = "argument must be a simple name") {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    if (args[i]->kind != Expr::Kind::identifier)
      return result = fail(*args[i], std::string(text)), names;
    names.push_back(args[i]->name);
  }
  if (count == 2 && names[0] == names[1])
    result = fail(*args[1], "duplicate variable name: " + names[1]);
  for (std::size_t i = 0; i < count; ++i)
    if (names[i] == kAccumulatorName || names[i] == "__result__")
      result = fail(*args[i], "iteration variable overwrites accumulator variable");
  return names;
}

// all, exists, existsOne, with one variable or two.
MacroResult quantifier(Maker make, std::string_view function, Expr* target, const Args& args) {
  MacroResult result;
  const auto names = variables_of(args, args.size() - 1, result);
  if (!result.error.empty()) return result;
  Expr* const test = args.back();
  if (function == "all")
    return {make.loop(names, target, make.yes(),
                      make.call(op::kNotStrictlyFalse, {make.accumulator()}),
                      make.call(op::kAnd, {make.accumulator(), test}))};
  if (function == "exists")
    return {make.loop(names, target, make.literal(Value::boolean(false)),
                      make.call(op::kNotStrictlyFalse, {make.call(op::kNot, {make.accumulator()})}),
                      make.call(op::kOr, {make.accumulator(), test}))};
  const auto one = [&] { return make.literal(Value::integer(1)); };
  Expr* const count = make.call(op::kAdd, {make.accumulator(), one()});
  Expr* const loop = make.loop(names, target, make.literal(Value::integer(0)), make.yes(),
                               make.only_if(test, count));
  loop->args[kResult] = make.call(op::kEquals, {loop->args[kResult], one()});
  return {loop};
}

// map, filter and transformList: `elements` is appended for each element that passes.
MacroResult collect(Maker make, Expr* target, const std::vector<std::string>& names, Expr* filter,
                    Expr* element) {
  Expr* const step = make.call(op::kAdd, {make.accumulator(), make.list({element})});
  return {make.loop(names, target, make.list({}), make.yes(), make.only_if(filter, step))};
}

MacroResult map_macro(Maker make, std::string_view function, Expr* target, const Args& args) {
  MacroResult result;
  const auto names = variables_of(args, 1, result, "argument is not an identifier");
  if (!result.error.empty()) return result;
  if (function == "filter") return collect(make, target, names, args[1], args[0]);
  return collect(make, target, names, args.size() == 3 ? args[1] : nullptr, args.back());
}

MacroResult transform(Maker make, std::string_view function, Expr* target, const Args& args) {
  MacroResult result;
  const auto names = variables_of(args, 2, result);
  if (!result.error.empty()) return result;
  Expr* const filter = args.size() == 4 ? args[2] : nullptr;
  if (function == "transformList") return collect(make, target, names, filter, args.back());
  Args entry{make.accumulator()};
  if (function == "transformMap") entry.push_back(make.identifier(names[0]));
  entry.push_back(args.back());
  Expr* const step = make.only_if(filter, make.call(op::kMapInsert, std::move(entry)));
  return {make.loop(names, target, make.map(), make.yes(), step)};
}

MacroResult opt_map(Maker make, std::string_view function, Expr* target, const Args& args) {
  if (args[0]->kind != Expr::Kind::identifier)
    return fail(*args[0], std::string(function) + "() variable name must be a simple identifier");
  Expr* mapped = make.bind(args[0]->name, make.member("value", {target}), args[1]);
  if (function == "optMap") mapped = make.call("optional.of", {mapped});
  return {make.call(op::kConditional,
                    {make.member("hasValue", {target}), mapped, make.call("optional.none", {})})};
}

MacroResult sort_by(Maker make, std::string_view, Expr* target, const Args& args) {
  if (target->kind == Expr::Kind::literal || target->kind == Expr::Kind::map ||
      target->kind == Expr::Kind::message)
    return fail(*target,
                "sortBy can only be applied to a list, identifier, comprehension, call or select "
                "expression");
  constexpr std::string_view kInput = "@__sortBy_input__";
  const auto keys = map_macro(make, "map", make.identifier(kInput), args);
  if (keys.expr == nullptr) return keys;
  return {make.bind(kInput, target,
                    make.member("@sortByAssociatedKeys", {make.identifier(kInput), keys.expr}))};
}

MacroResult has(Maker make, std::string_view, Expr*, const Args& args) {
  if (args[0]->kind != Expr::Kind::select) return fail(*args[0], "invalid argument to has() macro");
  return {make.presence(*args[0])};
}

MacroResult bind(Maker make, std::string_view, Expr* target, const Args& args) {
  if (target->kind != Expr::Kind::identifier || target->name != "cel") return {};
  if (args[0]->kind != Expr::Kind::identifier)
    return fail(*args[0], "cel.bind() variable names must be simple identifiers");
  return {make.bind(args[0]->name, args[1], args[2])};
}

struct Macro {
  std::string_view function;
  bool is_member;
  std::size_t args;
  MacroResult (*expand)(Maker, std::string_view function, Expr* target, const Args& args);
};

constexpr Macro kMacros[] = {
    {"has", false, 1, has},
    {"all", true, 2, quantifier},
    {"all", true, 3, quantifier},
    {"exists", true, 2, quantifier},
    {"exists", true, 3, quantifier},
    {"exists_one", true, 2, quantifier},
    {"exists_one", true, 3, quantifier},
    {"existsOne", true, 3, quantifier},
    {"map", true, 2, map_macro},
    {"map", true, 3, map_macro},
    {"filter", true, 2, map_macro},
    {"transformList", true, 3, transform},
    {"transformList", true, 4, transform},
    {"transformMap", true, 3, transform},
    {"transformMap", true, 4, transform},
    {"transformMapEntry", true, 3, transform},
    {"transformMapEntry", true, 4, transform},
    {"optMap", true, 2, opt_map},
    {"optFlatMap", true, 2, opt_map},
    {"sortBy", true, 2, sort_by},
    {"bind", true, 3, bind},
};

}  // namespace

MacroResult expand_macro(Ast& ast, std::uint32_t offset, std::string_view function, Expr* target,
                         const Args& args) {
  for (const Macro& macro : kMacros)
    if (macro.function == function && macro.is_member == (target != nullptr) &&
        macro.args == args.size())
      return macro.expand(Maker(ast, offset), function, target, args);
  return {};
}

}  // namespace dcm::cel
