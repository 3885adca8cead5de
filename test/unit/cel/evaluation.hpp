// Evaluates expressions without variables, for tables.
#pragma once

#include <string>
#include <string_view>

#include "cel/library.hpp"
#include "cel/program.hpp"

namespace dcm::cel {

// "= value", "compile: …" (the first line), or "error: …".
inline std::string outcome_of(std::string_view expression, std::uint64_t cost_limit = 1'000'000) {
  static const Library library;
  const auto program = Program::compile(expression, library);
  if (!program) return "compile: " + program.error().substr(0, program.error().find('\n'));
  Arena arena;
  Frame frame{.arena = arena, .cost_limit = cost_limit};
  const Value value = (*program)->evaluate(frame);
  if (value.is_error()) return "error: " + std::string(value.as_text());
  return "= " + describe(value, arena);
}

}  // namespace dcm::cel
