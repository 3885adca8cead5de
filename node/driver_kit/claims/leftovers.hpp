// Claims deleted while the driver was down: a node that has lost its checkpoint, or was
// reinstalled, never unprepares them, and their devices would stay prepared.
#pragma once

#include "node/driver_kit/call_lock.hpp"
#include "node/driver_kit/claims/claim_files.hpp"
#include "node/driver_kit/driver.hpp"
#include "runtime/backoff.hpp"
#include "runtime/log.hpp"

namespace dcm::driver_kit {

enum class Claimed : std::uint8_t { still, no_more, unknown };

// `claim`: the JSON of the claim of that name, or why it cannot be read. `no_more` if it is gone,
// replaced under its name, not allocated, or allocated with other devices of this driver.
Claimed is_still_claimed(const PreparedRecord& record, const std::string& driver,
                         const runtime::Result<std::string>& claim);

// Loop thread only.
class Leftovers {
 public:
  static constexpr runtime::Backoff kRetry{std::chrono::seconds(1), std::chrono::minutes(1)};
  // How long to wait for the driver's turn before trying again later.
  static constexpr runtime::Duration kPatience = std::chrono::seconds(30);

  // All references must outlive it.
  Leftovers(runtime::TimeSource& time, std::string driver_name, Driver& driver, ClaimReader& claims,
            ClaimFiles& files, CallLock& lock, runtime::Logger log);

  // Unprepares each claim that was prepared before and no longer exists. Ends when all are settled;
  // failures of server, driver or files are retried.
  Task<> settle();

 private:
  // Whether nothing is left to do about the record.
  Task<bool> settle_one(PreparedRecord record);
  Task<bool> unprepare(PreparedRecord record);

  runtime::TimeSource& time_;
  std::string name_;
  Driver& driver_;
  ClaimReader& claims_;
  ClaimFiles& files_;
  CallLock& lock_;
  runtime::Logger log_;
};

}  // namespace dcm::driver_kit
