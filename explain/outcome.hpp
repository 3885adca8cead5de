// How an explaining command ends.
#pragma once

#include <cstdint>
#include <string>

namespace dcm::explain {

enum class ExplainStatus : std::uint8_t {
  explained = 0,          // regardless of the object's state
  not_printed = 1,        // standard output is closed or full
  bad_configuration = 2,  // an unreadable kubeconfig, credential or certificate
  bad_flags = 2,
  no_such_object = 3,
  not_answered = 4,       // no server, refused, or not served
  explained_in_part = 5,  // an important input could not be read: the text names it first
};

struct ExplainOutcome {
  ExplainStatus status = ExplainStatus::explained;
  std::string text;  // the explanation, or one line that says why there is none
};

}  // namespace dcm::explain
