// Reads other components' messages about an object: only what the question needs, without watching.
#pragma once

#include "client/request/rest_client.hpp"
#include "explain/evidence.hpp"
#include "explain/subject.hpp"
#include "runtime/deadline.hpp"

namespace dcm::explain {

// Whether to read refusals. Not needed if the draft's author made the attempts itself.
enum class Refusals : std::uint8_t { asked, known };

// A read failure is part of the evidence. `rest` must outlive the task; `draft` is read before the
// first wait.
runtime::Task<Evidence> read_evidence(client::RestClient& rest, Subject subject,
                                      const common::Draft& draft, Refusals refusals,
                                      runtime::Deadline deadline);

// Reads the lease, twice if it seems to have expired. `now` is that of the whole explanation.
runtime::Task<common::Known<common::Worker>> read_worker(client::RestClient& rest,
                                                         runtime::TimeSource& time,
                                                         runtime::WallTime now,
                                                         api::NamespacedName lease,
                                                         runtime::Deadline deadline);

}  // namespace dcm::explain
