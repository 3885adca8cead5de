// The schedule of a CronJob, as github.com/robfig/cron/v3 reads it: five fields, or @daily.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dcm::apiserver {

// Why it is none, in that package's words; nullopt if it is one. Time zones are not looked up.
std::optional<std::string> problem_with_schedule(std::string_view schedule);

}  // namespace dcm::apiserver
