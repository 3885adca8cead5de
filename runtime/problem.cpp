#include "runtime/problem.hpp"

#include <fmt/format.h>

namespace dcm::runtime {

Problem::Problem(const Error& error) : whole(to_string(error)), by_name(to_string(error.reason)) {}

Problem about(std::string_view subject, const Problem& problem) {
  Problem named(fmt::format("{}: {}", subject, problem.whole));
  named.by_name = fmt::format("{}: {}", subject, problem.by_name);
  return named;
}

}  // namespace dcm::runtime
