// Reads the inputs of a question about devices, for this question only, and answers it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "client/request/rest_client.hpp"
#include "controllers/common/explanation.hpp"
#include "explain/devices/question.hpp"
#include "explain/subject.hpp"
#include "runtime/deadline.hpp"

namespace dcm::explain {

// How long nodes are surveyed; the answer says how many are left.
inline constexpr runtime::Duration kSurveyTime = std::chrono::seconds(1);

// By default those of the command, which has nothing else to do.
struct DeviceLimits {
  std::size_t list_bytes_max = std::numeric_limits<std::size_t>::max();  // of each list
  std::uint64_t steps_max = 2'000'000;  // a longer search is "not decided"
};

// Why the claims of the pod (or the claim itself) have no devices; nullopt: they have some, or the
// scheduler does not get as far as devices. Unknown: an input of the answer could not be read, or
// one of its lists is too large. Lists claims of all namespaces, slices,
// classes, nodes and rules. References must outlive the task.
runtime::Task<common::Known<std::optional<common::Topic>>> read_devices(
    client::RestClient& rest, runtime::TimeSource& time, Subject subject, Names names,
    runtime::Deadline deadline, DeviceLimits limits = {});

}  // namespace dcm::explain
