// How a command that explains ends.
#pragma once

#include <cstdint>
#include <string>

namespace dcm::manager {

enum class ExplainStatus : std::uint8_t {
  explained = 0,          // however the object fares
  bad_configuration = 1,  // a kubeconfig, credential or certificate that cannot be read
  bad_flags = 2,
  no_such_object = 3,
  not_answered = 4,  // nobody there, refused, or not served
};

struct ExplainOutcome {
  ExplainStatus status = ExplainStatus::explained;
  std::string text;  // the explanation, or one line that says why there is none
};

}  // namespace dcm::manager
