#include "cel/unparse.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "cel/ascii.hpp"
#include "cel/names.hpp"
#include "cel/numbers.hpp"
#include "cel/text.hpp"

namespace dcm::cel {
namespace {

constexpr std::size_t kTextMax = 100;

// Ordered by precedence.
enum Level : std::uint8_t { kTernary, kOr, kAnd, kRelation, kSum, kProduct, kUnary, kMember };

struct Operator {
  std::string_view function;
  std::string_view symbol;
  Level level;
};
constexpr std::array kOperators = {
    Operator{op::kOr, "||", kOr},           Operator{op::kAnd, "&&", kAnd},
    Operator{op::kEquals, "==", kRelation}, Operator{op::kNotEquals, "!=", kRelation},
    Operator{op::kLess, "<", kRelation},    Operator{op::kLessEquals, "<=", kRelation},
    Operator{op::kGreater, ">", kRelation}, Operator{op::kGreaterEquals, ">=", kRelation},
    Operator{op::kIn, "in", kRelation},     Operator{op::kAdd, "+", kSum},
    Operator{op::kSubtract, "-", kSum},     Operator{op::kMultiply, "*", kProduct},
    Operator{op::kDivide, "/", kProduct},   Operator{op::kModulo, "%", kProduct},
};

bool is_identifier(std::string_view text) {
  const auto is_part = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  return !text.empty() && !is_digit(text[0]) && std::ranges::all_of(text, is_part);
}

std::string field_text(std::string_view name) {
  return is_identifier(name) ? std::string(name) : "`" + std::string(name) + "`";
}

class Unparser {
 public:
  // Empty if there is no text.
  std::string run(const Expr& expr) {
    std::string text = write(expr).first;
    return failed_ ? std::string() : text;
  }

 private:
  using Written = std::pair<std::string, Level>;

  Written write(const Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::literal:
        return literal(expr.literal);
      case Expr::Kind::identifier:
        return {expr.name, kMember};
      case Expr::Kind::select: {
        std::string text = at_least(kMember, *expr.args[0]) + "." + field_text(expr.name);
        return {expr.is_test ? "has(" + text + ")" : text, kMember};
      }
      case Expr::Kind::call:
        return call(expr);
      case Expr::Kind::list:
        return {"[" + list(expr.args, expr.optionals) + "]", kMember};
      case Expr::Kind::map:
        return {"{" + entries(expr) + "}", kMember};
      case Expr::Kind::message:
      case Expr::Kind::fold:
        break;
    }
    failed_ = true;
    return {"", kMember};
  }

  std::string at_least(Level level, const Expr& expr) {
    auto [text, own] = write(expr);
    return own < level ? "(" + text + ")" : text;
  }

  Written literal(const Value& value) {
    Arena arena;
    // -1.method() would negate the result.
    const bool is_negative = (value.is(Kind::integer) && value.as_integer() < 0) ||
                             (value.is(Kind::real) && value.as_real() < 0);
    if (value.is(Kind::string)) return {quoted(value.as_text()), kMember};
    return {literal_text(value, arena), is_negative ? kUnary : kMember};
  }

  Written call(const Expr& expr) {
    const std::string_view name = expr.name;
    if (name == op::kIndex || name == op::kOptionalIndex) {
      return {at_least(kMember, *expr.args[0]) + (name == op::kIndex ? "[" : "[?") +
                  write(*expr.args[1]).first + "]",
              kMember};
    }
    if (name == op::kOptionalSelect) {
      return {at_least(kMember, *expr.args[0]) + ".?" + field_text(expr.args[1]->literal.as_text()),
              kMember};
    }
    if (name == op::kConditional) {
      return {at_least(kOr, *expr.args[0]) + " ? " + at_least(kOr, *expr.args[1]) + " : " +
                  write(*expr.args[2]).first,
              kTernary};
    }
    if (name == op::kNot) return {"!" + at_least(kMember, *expr.args[0]), kUnary};
    if (name == op::kNegate) return {"-" + at_least(kMember, *expr.args[0]), kUnary};
    const auto found = std::ranges::find(kOperators, name, &Operator::function);
    return found == kOperators.end() ? function(expr) : chain(expr, *found);
  }

  // Operators of equal precedence associate to the left; && and || have any number of terms.
  Written chain(const Expr& expr, const Operator& by) {
    const bool is_logic = by.level == kAnd || by.level == kOr;
    std::string text;
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      if (i > 0) text += " " + std::string(by.symbol) + " ";
      const bool is_left = i == 0 && !is_logic;
      text += at_least(is_left ? by.level : static_cast<Level>(by.level + 1), *expr.args[i]);
    }
    return {text, by.level};
  }

  Written function(const Expr& expr) {
    if (expr.name.empty() || !is_identifier(expr.name.substr(0, 1))) failed_ = true;  // hidden
    if (!expr.is_member) return {expr.name + "(" + list(expr.args, {}) + ")", kMember};
    const std::vector<Expr*> rest(expr.args.begin() + 1, expr.args.end());
    return {at_least(kMember, *expr.args[0]) + "." + expr.name + "(" + list(rest, {}) + ")",
            kMember};
  }

  std::string list(const std::vector<Expr*>& items, const std::vector<bool>& optionals) {
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) text += ", ";
      if (i < optionals.size() && optionals[i]) text += "?";
      text += write(*items[i]).first;
    }
    return text;
  }

  std::string entries(const Expr& map) {
    std::string text;
    for (std::size_t i = 0; i + 1 < map.args.size(); i += 2) {
      if (i > 0) text += ", ";
      if (i / 2 < map.optionals.size() && map.optionals[i / 2]) text += "?";
      text += write(*map.args[i]).first + ": " + write(*map.args[i + 1]).first;
    }
    return text;
  }

  bool failed_ = false;
};

// Cuts between characters.
std::string shortened(std::string text) {
  if (text.size() <= kTextMax) return text;
  std::size_t end = kTextMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string list_text(const List& list, Arena& arena) {
  std::string text = "[";
  for (const Value& item : list.values) {
    if (text.size() > kTextMax) break;
    if (text.size() > 1) text += ", ";
    text += literal_text(item, arena);
  }
  return text + "]";
}

std::string map_text(const Map& map, Arena& arena) {
  std::string text = "{";
  for (std::size_t i = 0; i < map.size() && text.size() <= kTextMax; ++i) {
    if (i > 0) text += ", ";
    const auto [key, value] = map.entry(i, arena);
    text += literal_text(key, arena) + ": " + literal_text(value, arena);
  }
  return text + "}";
}

std::string any_text(const Value& value, Arena& arena) {
  switch (value.kind()) {
    case Kind::string:
      return quoted(value.as_text());
    case Kind::bytes:
      return "b" + quoted(value.as_text());
    case Kind::unsigned_integer:
      return std::to_string(value.as_unsigned()) + "u";
    case Kind::list:
      return list_text(value.as_list(), arena);
    case Kind::map:
      return map_text(value.as_map(), arena);
    case Kind::optional:
      return value.as_optional() == nullptr ? "optional.none()"
                                            : any_text(*value.as_optional(), arena);
    case Kind::object:
      if (value.as_object().of->text != nullptr)
        return value.as_object().of->text(value.as_object());
      break;
    default:
      break;
  }
  return describe(value, arena);
}

}  // namespace

std::optional<std::string> unparse(const Expr& expr) {
  std::string text = Unparser().run(expr);
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

std::string literal_text(const Value& value, Arena& arena) {
  return shortened(any_text(value, arena));
}

}  // namespace dcm::cel
