#include "cel/parser.hpp"

#include <algorithm>

#include "cel/lexer.hpp"
#include "cel/macros.hpp"
#include "cel/names.hpp"
#include "cel/numbers.hpp"

namespace dcm::cel {
namespace {

using Args = std::vector<Expr*>;
using TokenKind = Token::Kind;

std::string_view relation_of(const Token& token) {
  if (token.kind != TokenKind::symbol) return {};
  constexpr std::pair<std::string_view, std::string_view> kRelations[] = {
      {"<", op::kLess},    {"<=", op::kLessEquals}, {">", op::kGreater}, {">=", op::kGreaterEquals},
      {"==", op::kEquals}, {"!=", op::kNotEquals},  {"in", op::kIn}};
  for (const auto& [symbol, function] : kRelations)
    if (token.text == symbol) return function;
  return {};
}

std::string_view sum_of(const Token& token) {
  return token.is("+") ? op::kAdd : token.is("-") ? op::kSubtract : std::string_view();
}

std::string_view product_of(const Token& token) {
  return token.is("*")   ? op::kMultiply
         : token.is("/") ? op::kDivide
         : token.is("%") ? op::kModulo
                         : std::string_view();
}

// Recursive descent. Stops at the first syntax error: further ones would be guesses.
class Parser {
 public:
  Parser(std::string_view source, Bindings bindings)
      : lexer_(source), bindings_(bindings), ast_(std::make_unique<Ast>()) {
    advance();
  }

  Parsed run() {
    Expr* const root = expression();
    if (!failed_ && token_.kind != TokenKind::end) unexpected("<EOF>");
    ast_->root = root;
    return {std::move(ast_), std::move(issues_)};
  }

 private:
  void advance() { token_ = lexer_.next(); }

  bool accept(std::string_view symbol) {
    if (!token_.is(symbol)) return false;
    advance();
    return true;
  }

  void expect(std::string_view symbol) {
    if (!accept(symbol)) unexpected("'" + std::string(symbol) + "'");
  }

  // Reports an error without stopping: the text is well formed, but meaningless.
  Expr* report(std::uint32_t offset, std::string message) {
    if (!failed_) issues_.push_back({offset, std::move(message)});
    return ast_->make({});
  }

  Expr* fail(std::uint32_t offset, std::string message) {
    Expr* const nothing = report(offset, std::move(message));
    failed_ = true;
    token_ = {TokenKind::end, {}, token_.offset};
    return nothing;
  }

  Expr* unexpected(std::string_view wanted) {
    if (token_.kind == TokenKind::malformed)
      return fail(token_.offset,
                  "Syntax error: token recognition error at: '" + std::string(token_.text) + "'");
    const std::string found = token_.kind == TokenKind::end ? "<EOF>" : std::string(token_.text);
    return fail(token_.offset,
                "Syntax error: mismatched input '" + found + "' expecting " + std::string(wanted));
  }

  Expr* make(Expr expr) {
    for (const Expr* arg : expr.args) expr.depth = std::max(expr.depth, arg->depth + 1);
    if (expr.depth > kDepthMax) return fail(0, "max recursion depth exceeded");
    return ast_->make(std::move(expr));
  }

  Expr* literal(std::uint32_t offset, Value value) {
    return ast_->make({.kind = Expr::Kind::literal, .offset = offset, .literal = value});
  }

  Expr* call(std::uint32_t offset, std::string_view function, Args args) {
    return make({.kind = Expr::Kind::call,
                 .offset = offset,
                 .name = std::string(function),
                 .args = std::move(args)});
  }

  Expr* call_or_macro(std::uint32_t offset, std::string_view function, Expr* target, Args args) {
    if (failed_) return ast_->make({});
    const bool is_left_out = bindings_ == Bindings::absent && function == "bind";
    MacroResult macro;
    if (!is_left_out) macro = expand_macro(*ast_, offset, function, target, args);
    if (!macro.error.empty()) return report(macro.offset, std::move(macro.error));
    if (macro.expr != nullptr) {
      if (macro.expr->depth > kDepthMax + 8) return fail(0, "max recursion depth exceeded");
      return macro.expr;
    }
    if (target == nullptr) return call(offset, function, std::move(args));
    args.insert(args.begin(), target);
    Expr* const made = call(offset, function, std::move(args));
    made->is_member = true;
    return made;
  }

  Expr* expression() {
    if (++nesting_ >= kDepthMax) return fail(0, "expression recursion limit exceeded: 250");
    Expr* const condition = logic("||", op::kOr);
    const auto offset = token_.offset;
    Expr* result = condition;
    if (accept("?")) {
      Expr* const yes = logic("||", op::kOr);
      expect(":");
      Expr* const no = expression();
      result = call(offset, op::kConditional, {condition, yes, no});
    }
    --nesting_;
    return result;
  }

  // Any number of terms forms one call, so that chains are not nested.
  Expr* logic(std::string_view symbol, std::string_view function) {
    const auto term = [&] { return symbol == "||" ? logic("&&", op::kAnd) : relation(); };
    Expr* const first = term();
    if (!token_.is(symbol)) return first;
    const auto offset = token_.offset;
    Args terms{first};
    while (accept(symbol)) terms.push_back(term());
    return call(offset, function, std::move(terms));
  }

  template <typename FunctionOf, typename Operand>
  Expr* chain(FunctionOf function_of, Operand operand) {
    Expr* left = operand();
    for (auto function = function_of(token_); !function.empty(); function = function_of(token_)) {
      const auto offset = token_.offset;
      advance();
      Expr* const right = operand();
      left = call(offset, function, {left, right});
    }
    return left;
  }

  Expr* relation() {
    return chain(relation_of, [this] {
      return chain(sum_of, [this] { return chain(product_of, [this] { return unary(); }); });
    });
  }

  Expr* unary() {
    const auto offset = token_.offset;
    if (token_.is("!")) {
      const bool odd = count("!") % 2 == 1;
      Expr* const operand = member();
      return odd ? call(offset, op::kNot, {operand}) : operand;
    }
    if (token_.is("-")) {
      const auto signs = count("-");
      const bool is_number = token_.kind == TokenKind::integer || token_.kind == TokenKind::real;
      if (signs == 1 && is_number) return member(number(offset, true));
      Expr* const operand = member();
      return signs % 2 == 1 ? call(offset, op::kNegate, {operand}) : operand;
    }
    return member();
  }

  std::size_t count(std::string_view symbol) {
    std::size_t times = 0;
    while (accept(symbol)) ++times;
    return times;
  }

  Expr* member() { return member(primary()); }

  Expr* member(Expr* operand) {
    while (true) {
      const Token start = token_;
      const auto offset = start.offset;
      if (accept(".")) {
        operand = field_or_call(start, operand);
      } else if (accept("[")) {
        const bool is_optional = accept("?");
        Expr* const index = expression();
        expect("]");
        operand = call(offset, is_optional ? op::kOptionalIndex : op::kIndex, {operand, index});
      } else {
        return operand;
      }
    }
  }

  // The reference accepts two continuations after a dot, and one after ".?".
  Expr* no_field(const Token& dot, bool is_optional) {
    if (token_.kind == TokenKind::malformed) return unexpected("IDENTIFIER");
    const auto at = token_.offset;
    if (is_optional) {
      if (!failed_) issues_.push_back({at, "unsupported ident kind"});
      return unexpected("{IDENTIFIER, ESC_IDENTIFIER}");
    }
    const char* const begin = dot.text.data();
    const char* const end =
        token_.kind == TokenKind::end ? begin + 1 : token_.text.data() + token_.text.size();
    return fail(at,
                "Syntax error: no viable alternative at input '" + std::string(begin, end) + "'");
  }

  Expr* field_or_call(const Token& dot, Expr* operand) {
    const auto offset = dot.offset;
    const bool is_optional = accept("?");
    const Token name = token_;
    if (name.kind != TokenKind::identifier && name.kind != TokenKind::escaped)
      return no_field(dot, is_optional);
    advance();
    const auto open = token_.offset;
    if (!is_optional && name.kind == TokenKind::identifier && accept("("))
      return call_or_macro(open, name.text, operand, arguments(")"));
    if (is_optional)
      return call(
          offset, op::kOptionalSelect,
          {operand, literal(name.offset, Value::string(ast_->keep(std::string(name.text))))});
    return make({.kind = Expr::Kind::select,
                 .offset = offset,
                 .name = std::string(name.text),
                 .args = {operand}});
  }

  Args arguments(std::string_view close) {
    Args args;
    if (accept(close)) return args;
    do {
      args.push_back(expression());
    } while (accept(","));
    expect(close);
    return args;
  }

  Expr* primary() {
    const auto offset = token_.offset;
    switch (token_.kind) {
      case TokenKind::integer:
      case TokenKind::unsigned_integer:
      case TokenKind::real:
        return number(offset, false);
      case TokenKind::string:
      case TokenKind::bytes:
        return text(offset);
      case TokenKind::identifier:
        return identifier();
      default:
        break;
    }
    if (accept("(")) {
      Expr* const inner = expression();
      expect(")");
      return inner;
    }
    if (accept("[")) return list(offset);
    if (accept("{")) return map(offset);
    if (token_.is(".")) return identifier();
    if (accept("true")) return literal(offset, Value::boolean(true));
    if (accept("false")) return literal(offset, Value::boolean(false));
    if (accept("null")) return literal(offset, Value());
    return unexpected(
        "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, "
        "STRING, "
        "BYTES, IDENTIFIER}");
  }

  Expr* number(std::uint32_t offset, bool negative) {
    std::string_view digits = token_.text;
    const auto kind = token_.kind;
    advance();
    if (kind == TokenKind::real) {
      const auto value = parse_real(digits);
      if (!value) return report(offset, "invalid double literal");
      return literal(offset, Value::real(negative ? -*value : *value));
    }
    const int base = digits.starts_with("0x") ? 16 : 10;
    if (base == 16) digits.remove_prefix(2);
    if (kind == TokenKind::unsigned_integer) {
      const auto value = parse_unsigned(digits.substr(0, digits.size() - 1), base);
      return value ? literal(offset, Value::unsigned_integer(*value))
                   : report(offset, "invalid uint literal");
    }
    const auto value = parse_integer((negative ? "-" : "") + std::string(digits), base);
    return value ? literal(offset, Value::integer(*value)) : report(offset, "invalid int literal");
  }

  Expr* text(std::uint32_t offset) {
    const bool is_bytes = token_.kind == TokenKind::bytes;
    auto unescaped = unescape(token_.text.substr(is_bytes ? 1 : 0), is_bytes);
    advance();
    if (!unescaped.error.empty()) return report(offset, std::string(unescaped.error));
    const auto kept = ast_->keep(std::move(unescaped.text));
    return literal(offset, is_bytes ? Value::bytes(kept) : Value::string(kept));
  }

  // A variable, a call, or a message: distinguished by names before '{'.
  Expr* identifier() {
    std::string name = accept(".") ? "." : "";
    const Token word = token_;
    if (word.kind != TokenKind::identifier) return unexpected("IDENTIFIER");
    name += word.text;
    advance();
    if (is_message_ahead()) return message(std::move(name));
    if (is_reserved(word.text))
      return report(word.offset, "reserved identifier: " + std::string(word.text));
    const auto open = token_.offset;
    if (accept("(")) return call_or_macro(open, name, nullptr, arguments(")"));
    return ast_->make(
        {.kind = Expr::Kind::identifier, .offset = word.offset, .name = std::move(name)});
  }

  bool is_message_ahead() const {
    Lexer ahead = lexer_;
    Token token = token_;
    while (token.is(".")) {
      token = ahead.next();
      if (token.kind != TokenKind::identifier) return false;
      token = ahead.next();
    }
    return token.is("{");
  }

  Expr* message(std::string name) {
    while (accept(".")) {
      name += "." + std::string(token_.text);
      advance();
    }
    Expr made{.kind = Expr::Kind::message, .offset = token_.offset, .name = std::move(name)};
    advance();
    return entries(std::move(made), "}", [&](Expr& message) {
      if (token_.kind != TokenKind::identifier && token_.kind != TokenKind::escaped) {
        unexpected("IDENTIFIER");
        return;
      }
      message.fields.emplace_back(token_.text);
      advance();
      expect(":");
      message.args.push_back(expression());
    });
  }

  Expr* list(std::uint32_t offset) {
    Expr made{.kind = Expr::Kind::list, .offset = offset};
    return entries(std::move(made), "]", [&](Expr& list) { list.args.push_back(expression()); });
  }

  Expr* map(std::uint32_t offset) {
    Expr made{.kind = Expr::Kind::map, .offset = offset};
    return entries(std::move(made), "}", [&](Expr& map) {
      map.args.push_back(expression());
      expect(":");
      map.args.push_back(expression());
    });
  }

  // `add` reads one entry. A trailing comma is allowed, also without entries.
  Expr* entries(Expr made, std::string_view close, auto add) {
    if (!accept(",")) {
      while (!token_.is(close) && !failed_) {
        made.optionals.push_back(accept("?"));
        add(made);
        if (!accept(",")) break;
      }
    }
    expect(close);
    return make(std::move(made));
  }

  Lexer lexer_;
  Bindings bindings_;
  Token token_;
  std::unique_ptr<Ast> ast_;
  std::vector<Issue> issues_;
  std::uint32_t nesting_ = 0;
  bool failed_ = false;
};

}  // namespace

bool is_reserved(std::string_view word) {
  constexpr std::string_view kReserved[] = {
      "true",     "false",   "null",      "in",       "as",  "break",  "const",
      "continue", "else",    "for",       "function", "if",  "import", "let",
      "loop",     "package", "namespace", "return",   "var", "void",   "while"};
  return std::ranges::find(kReserved, word) != std::end(kReserved);
}

Parsed parse(std::string_view source, Bindings bindings) {
  return Parser(source, bindings).run();
}

}  // namespace dcm::cel
