#include "apiserver/rules/device_names.hpp"

#include <fmt/format.h>

#include "apiserver/rules/names.hpp"
#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kDriverNameMax = 63;
constexpr std::size_t kPoolNameMax = 253;

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
  add_problems(problems_with_name(NameRule::dns_subdomain, lower(name)), name, path, causes);
}

void validate_caseless_driver_name(std::string_view name, const std::string& path, Causes& causes) {
  if (name.empty()) return causes.push_back(required_value(path));
  if (name.size() > kDriverNameMax) causes.push_back(too_many_characters(path, kDriverNameMax));
  validate_name(NameRule::caseless_long_name, name, path, causes);
}

void validate_pool_name(std::string_view name, const std::string& path, Causes& causes) {
  check_pool_name(
      name, path,
      [&](std::string_view part, std::string_view, std::size_t) {
        validate_name(NameRule::dns_subdomain, part, path, causes);
      },
      causes);
}

void validate_allocated_pool_name(std::string_view name, const std::string& path, Causes& causes) {
  check_pool_name(
      name, path,
      [&](std::string_view part, std::string_view whole, std::size_t number) {
        const Problems problems =
            with_prefix(fmt::format("segment {}: ", number),
                        part.empty() ? Problems{"must not be empty"}
                                     : problems_with_name(NameRule::long_name, part));
        add_problems(problems, part.empty() ? whole : part, path, causes);
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
  const Problems problems = problems_with_qualified_name("requests." + std::string(name));
  add_problems(problems, name, path, causes);
}

}  // namespace dcm::apiserver
