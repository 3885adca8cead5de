// Why claims get no devices, in sentences: first the obstacle, then what would have to change, then
// what each node has.
//
// Needs no running manager: used by the command, the manager's page and the playground's page.
#pragma once

#include "controllers/common/explanation.hpp"
#include "explain/devices/survey.hpp"
#include "runtime/task.hpp"
#include "runtime/time.hpp"

namespace dcm::explain {

// Requires a survey that is done, or out of time. All sentences are based on Input::devices.
common::Topic explain_devices(DeviceSurvey& survey);

// Surveys in slices of about a millisecond, so that other tasks run in between, for at most
// `budget`. All references must outlive the task.
runtime::Task<common::Topic> survey_devices(DeviceInventory& inventory, DeviceQuestion question,
                                            runtime::TimeSource& time, runtime::Duration budget);

}  // namespace dcm::explain
