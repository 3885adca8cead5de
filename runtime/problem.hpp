// Why something does not work yet, for health checks.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "runtime/error.hpp"

namespace dcm::runtime {

// In one line, for two readers: the message of an error may be another program's words, with a
// secret in them, so unknown callers see only its name, as in "pods: not synced: forbidden".
struct Problem {
  Problem(std::string our_words) : whole(our_words), by_name(std::move(our_words)) {}
  Problem(const Error& error);

  std::string whole;
  std::string by_name;
};

// "subject: problem"
Problem about(std::string_view subject, const Problem& problem);

}  // namespace dcm::runtime
