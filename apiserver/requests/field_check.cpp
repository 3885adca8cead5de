#include "apiserver/requests/field_check.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "apiserver/text/duplicates.hpp"

namespace dcm::apiserver {

FieldCheck::FieldCheck(const Query& query) : mode_(Mode::warn) {
  const std::string_view wish = query.get("fieldValidation");
  if (wish == "Ignore") mode_ = Mode::ignore;
  if (wish == "Strict") mode_ = Mode::strict;
}

std::optional<std::string> FieldCheck::objection(const std::vector<std::string>& problems) {
  if (problems.empty() || mode_ == Mode::ignore) return std::nullopt;
  if (mode_ == Mode::strict) {
    return fmt::format("strict decoding error: {}", fmt::join(problems, ", "));
  }
  std::ranges::copy(problems, std::back_inserter(warnings_));
  return std::nullopt;
}

std::vector<std::string> unknown_fields(const std::vector<std::string>& paths) {
  std::vector<std::string> problems;
  for (const std::string& path : paths)
    problems.push_back(fmt::format("unknown field \"{}\"", path));
  return problems;
}

std::vector<std::string> duplicate_fields(std::string_view json, std::string_view before) {
  std::vector<std::string> problems;
  for (const std::string& path : duplicate_members(json)) {
    problems.push_back(fmt::format("{}duplicate field \"{}\"", before, path));
  }
  return problems;
}

}  // namespace dcm::apiserver
