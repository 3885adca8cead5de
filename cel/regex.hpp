// Regular expressions in RE2's syntax, in linear time. The only place that sees the library.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace dcm::cel {

class Regex {
 public:
  // The error is the text of Go's regexp.
  static std::expected<Regex, std::string> compile(std::string_view pattern);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  bool matches(std::string_view text) const;  // anywhere in it
  // The first match, or "".
  std::string_view find(std::string_view text) const;
  // At most `limit` matches; negative: all.
  std::vector<std::string_view> find_all(std::string_view text, std::int64_t limit) const;

 private:
  explicit Regex(std::unique_ptr<re2::RE2> regex);

  std::unique_ptr<re2::RE2> regex_;
};

}  // namespace dcm::cel
