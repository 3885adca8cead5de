#include "apiserver/requests/field_check.hpp"

#include <algorithm>

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
  for (const std::string& problem : problems) {
    if (std::ranges::find(warnings_, problem) == warnings_.end()) warnings_.push_back(problem);
  }
  return std::nullopt;
}

void FieldCheck::add_warnings(Response& response) const {
  for (const std::string& warning : warnings_) add_warning(response, warning);
}

void add_warning(Response& response, std::string_view text) {
  response.headers.emplace_back("Warning", fmt::format("299 - {}", serialize(Json(text))));
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
