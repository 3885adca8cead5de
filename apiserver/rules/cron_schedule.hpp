// The schedule of a CronJob, as github.com/robfig/cron/v3 reads it: five fields, or @daily.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dcm::apiserver {

// Returns why it is invalid, in that package's words; nullopt if it is valid. Durations of @every
// are not checked.
std::optional<std::string> problem_with_schedule(std::string_view schedule);

}  // namespace dcm::apiserver
