#include "apiserver/rules/device_names.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kDriverNameMax = 63;
constexpr std::size_t kPoolNameMax = 253;

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

// `problem_with_part` gets each part, the whole name, and the part's number.
void check_pool_name(std::string_view name, const std::string& path, auto problem_with_part,
                     Causes& causes) {
  if (name.empty()) return causes.push_back(required_value(path));
  if (name.size() > kPoolNameMax) causes.push_back(too_long(path, kPoolNameMax));
  const std::string_view whole = name;
  bool more = true;
  for (std::size_t number = 0; more; ++number) {
    const auto slash = name.find('/');
    problem_with_part(name.substr(0, slash), whole, number);
    more = slash != std::string_view::npos;
    if (more) name.remove_prefix(slash + 1);
  }
}

}  // namespace

void validate_driver_name(std::string_view name, const std::string& path, Causes& causes) {
  if (name.empty()) return causes.push_back(required_value(path));
  if (name.size() > kDriverNameMax) causes.push_back(too_long(path, kDriverNameMax));
  const auto problem = problem_with_name(NameRule::dns_subdomain, in_lower_case(name));
  if (!problem.empty()) causes.push_back(invalid_value(path, Json(name), problem));
}

void validate_caseless_driver_name(std::string_view name, const std::string& path, Causes& causes) {
  if (name.empty()) return causes.push_back(required_value(path));
  if (name.size() > kDriverNameMax) causes.push_back(too_many_characters(path, kDriverNameMax));
  if (problem_with_name(NameRule::dns_subdomain, in_lower_case(name)).empty()) return;
  causes.push_back(invalid_value(
      path, Json(name),
      "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start "
      "and end with an alphanumeric character (e.g. 'Example.com', regex used for validation is "
      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"));
}

void validate_pool_name(std::string_view name, const std::string& path, Causes& causes) {
  check_pool_name(
      name, path,
      [&](std::string_view part, std::string_view, std::size_t) {
        const auto problem = problem_with_name(NameRule::dns_subdomain, part);
        if (!problem.empty()) causes.push_back(invalid_value(path, Json(part), problem));
      },
      causes);
}

void validate_allocated_pool_name(std::string_view name, const std::string& path, Causes& causes) {
  check_pool_name(
      name, path,
      [&](std::string_view part, std::string_view whole, std::size_t number) {
        const auto problem = problem_with_name(NameRule::dns_subdomain, part);
        if (problem.empty()) return;
        causes.push_back(invalid_value(
            path, Json(part.empty() ? whole : part),
            fmt::format("segment {}: {}", number, part.empty() ? "must not be empty" : problem)));
      },
      causes);
}

void validate_extended_resource_name(std::string_view name, const std::string& path,
                                     Causes& causes) {
  const auto refuse = [&](std::string_view why) {
    causes.push_back(invalid_value(path, Json(name), why));
  };
  if (!name.contains('/')) {
    refuse("a name must be a domain-prefixed path, such as 'example.com/my-prop'");
  } else if (name.contains("kubernetes.io/")) {
    refuse("must not have \"kubernetes.io/\" domain");
  }
  if (name.starts_with("requests.")) refuse("must not have \"requests.\" prefix");
  // A quota on it uses a label key.
  const std::string quota = "requests." + std::string(name);
  if (const auto problem = problem_with_qualified_name(quota); !problem.empty()) refuse(problem);
}

}  // namespace dcm::apiserver
