// Asks a running manager: a request to its page.
#pragma once

#include "client/auth/credentials.hpp"
#include "explain/outcome.hpp"
#include "explain/render.hpp"
#include "explain/subject.hpp"
#include "runtime/http/client.hpp"

namespace dcm::explain {

struct ManagerQuestion {
  Subject subject;
  Format format = Format::text;
  std::string server = {};       // its URL, for messages
  std::string path_prefix = {};  // of that URL
  runtime::Deadline deadline = {};
};

// Both references must outlive the task.
runtime::Task<ExplainOutcome> ask_manager(http::Client& client, client::Credentials& credentials,
                                          ManagerQuestion question);

}  // namespace dcm::explain
