// The controllers of the manager with their shared caches: the contents of an epoch.
#pragma once

#include <span>

#include "cmd/dra-controller-manager/control.hpp"
#include "explain/source.hpp"
#include "manager/lifecycle.hpp"

namespace dcm::dra_manager {

// All controllers, in the order of their names in --help.
std::span<const ControlType* const> control_types();

// The explanations of the current epoch, if any.
struct CurrentExplanations {
  const ExplanationSource* source = nullptr;  // null if none
};

// All references must outlive the controllers.
Controllers make_controllers(const Options& options, api::EventSink& events,
                             CurrentExplanations& explanations);

}  // namespace dcm::dra_manager
