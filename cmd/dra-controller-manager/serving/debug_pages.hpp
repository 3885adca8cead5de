// Pages for inspecting a running process: its version, its start, and its log level.
//
// /statusz and /flagz are laid out as in Kubernetes' components (KEP-4827, KEP-4828): no stable
// format for programs.
#pragma once

#include <memory>

#include "cmd/dra-controller-manager/options.hpp"
#include "manager/pages.hpp"
#include "runtime/log.hpp"
#include "runtime/time.hpp"

namespace dcm::dra_manager {

// /statusz, /flagz, /configz (the configuration in effect, as JSON), and PUT /debug/flags/v, whose
// body is the new verbosity of the log. /statusz counts its uptime from this call. All references
// must outlive the pages.
void add_debug_pages(Pages& pages, const Options& options, runtime::TimeSource& time,
                     std::shared_ptr<runtime::LogBackend> log);

}  // namespace dcm::dra_manager
