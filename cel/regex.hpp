// Regular expressions in RE2's syntax, in linear time. The only place that sees the library.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cel/arena.hpp"

namespace re2 {
class RE2;
}

namespace dcm::cel {

class Regex {
 public:
  // The error is the text of Go's regexp.
  static std::expected<Regex, std::string> compile(std::string_view pattern);
  // For an evaluation, whose arena takes the steps. So do the functions below.
  static std::expected<Regex, std::string> compile(std::string_view pattern, Arena& arena);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  bool matches(std::string_view text) const;  // anywhere in it
  bool matches(std::string_view text, Arena& arena) const;
  // The first match, or "".
  std::string_view find(std::string_view text, Arena& arena) const;
  // At most `limit` matches; negative: all.
  std::vector<std::string_view> find_all(std::string_view text, std::int64_t limit,
                                         Arena& arena) const;

 private:
  explicit Regex(std::unique_ptr<re2::RE2> regex);
  bool may_search(std::size_t bytes, Arena& arena) const;

  std::unique_ptr<re2::RE2> regex_;
};

}  // namespace dcm::cel
