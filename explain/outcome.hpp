// How a command that explains ends.
#pragma once

#include <cstdint>
#include <string>

namespace dcm::manager {

enum class ExplainStatus : std::uint8_t {
  explained = 0,          // whatever the state of the object
  not_printed = 1,        // standard output is closed or full
  bad_configuration = 2,  // a kubeconfig, credential or certificate that cannot be read
  bad_flags = 2,
  no_such_object = 3,
  not_answered = 4,       // nobody there, refused, or not served
  explained_in_part = 5,  // something that matters could not be read: the text names it first
};

struct ExplainOutcome {
  ExplainStatus status = ExplainStatus::explained;
  std::string text;  // the explanation, or one line that says why there is none
};

}  // namespace dcm::manager
