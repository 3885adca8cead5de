#include "cel/library.hpp"
#include "cel/regex.hpp"

namespace dcm::cel {
namespace {

using Args = std::span<const Value>;

// Patterns that are not constants are compiled each time.
template <typename Run>
Value with_pattern(Args args, Frame& frame, std::string_view prefix, Run run) {
  const auto regex = Regex::compile(args[1].as_text(), frame.arena);
  if (!regex) return make_error(frame.arena, prefix, regex.error());
  return run(*regex);
}

Value matches(Args args, Frame& frame) {
  return with_pattern(args, frame, "", [&](const Regex& regex) {
    return Value::boolean(regex.matches(args[0].as_text(), frame.arena));
  });
}

Value find(Args args, Frame& frame) {
  return with_pattern(args, frame, "Illegal regex: ", [&](const Regex& regex) {
    return Value::string(regex.find(args[0].as_text(), frame.arena));
  });
}

Value find_all(Args args, Frame& frame) {
  return with_pattern(args, frame, "Illegal regex: ", [&](const Regex& regex) {
    std::vector<Value> all;
    for (const auto part : regex.find_all(
             args[0].as_text(), args.size() == 3 ? args[2].as_integer() : -1, frame.arena))
      all.push_back(Value::string(part));
    return make_list(all, frame.arena);
  });
}

constexpr FunctionRow kRows[] = {
    {"matches(string, string) bool", matches, CostRule::match},
    {"matches(string; string) bool", matches, CostRule::match},
    {"find(string; string) string", find, CostRule::find},
    {"findAll(string; string) list(string)", find_all, CostRule::find},
    {"findAll(string; string, int) list(string)", find_all, CostRule::find},
};

}  // namespace

std::span<const FunctionRow> regex_functions() {
  return kRows;
}

}  // namespace dcm::cel
