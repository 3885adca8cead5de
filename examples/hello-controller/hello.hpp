// Writes, for each Greeting (hello.example.com), a ConfigMap of the same name with its text.
#pragma once

#include "dcm/manager/controller_manager.hpp"

namespace hello {

// `manager` runs the controllers, and outlives them.
void add_controllers(dcm::manager::ControllerManager& manager);

}  // namespace hello
