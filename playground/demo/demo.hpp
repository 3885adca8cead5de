// The demo: example manifests applied to a cluster that runs the manager and the playground's
// parts; the result is shown live, and checked at the end.
//
// Only a client of the API; `./dev demo` starts the rest.
#pragma once

#include <chrono>
#include <string>

#include "runtime/time.hpp"

namespace dcm::playground {

struct DemoOptions {
  std::string kubeconfig;
  std::string context;                           // empty: the current one
  std::string manifests = "manifests/examples";  // the folder with the examples
  runtime::Duration time_limit = std::chrono::seconds(60);
};

// Returns the exit status: 0 if everything happened as expected; otherwise 1, with the reason.
int run_demo(const DemoOptions& options);

}  // namespace dcm::playground
