// The text of an expression, and messages that point into it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dcm::cel {

struct Issue {
  std::uint32_t offset;  // in code points
  std::string message;
};

// "ERROR: <input>:1:5: message", the line, and a mark below the position; several are joined by
// newlines, ordered by position.
std::string describe_issues(std::string_view source, std::vector<Issue> issues);

}  // namespace dcm::cel
