// Expressions of CEL, as they are parsed: no input makes a tree that is deeper than the limit, and
// messages about it begin with a place.

#include "cel/parser.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {

void run(std::string_view input) {
  const auto parsed = cel::parse(input);
  if (parsed.issues.empty()) {
    // Macros add a few levels around the source.
    expect(parsed.ast->root != nullptr && parsed.ast->root->depth <= cel::kDepthMax + 8,
           "a tree within the limit");
    return;
  }
  const std::string text = cel::describe_issues(input, parsed.issues);
  expect(text.starts_with("ERROR: <input>:"), "a message with a place", text);
}

}  // namespace dcm::fuzz
