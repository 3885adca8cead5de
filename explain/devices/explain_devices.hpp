// Why claims get no devices, in sentences: first what is in the way, then what would have to
// change, then what each node has.
//
// Depends on no running manager: the command, the manager's page and the playground's page all use
// it.
#pragma once

#include "controllers/common/explanation.hpp"
#include "explain/devices/survey.hpp"
#include "runtime/task.hpp"
#include "runtime/time.hpp"

namespace dcm::manager {

// Of a survey that has advanced as far as it could. Everything that it says rests on
// Input::devices.
common::Topic explain_devices(DeviceSurvey& survey);

// Surveys in slices of about a millisecond, so that other work of the loop goes on, for at most
// `budget`. All references must outlive the task.
runtime::Task<common::Topic> survey_devices(DeviceInventory& inventory, DeviceQuestion question,
                                            runtime::TimeSource& time, runtime::Duration budget);

}  // namespace dcm::manager
