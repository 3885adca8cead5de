// For each Greeting (hello.example.com) a ConfigMap of its name, with the text of the greeting.
#pragma once

#include "dcm/manager/controller_manager.hpp"

namespace hello {

// `manager` runs it, and outlives it.
void add_controllers(dcm::manager::ControllerManager& manager);

}  // namespace hello
