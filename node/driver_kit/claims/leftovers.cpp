#include "node/driver_kit/claims/leftovers.hpp"

#include <algorithm>

#include "node/driver_kit/json.hpp"

namespace dcm::driver_kit {
namespace {

using runtime::Deadline;

bool has_devices(const std::vector<AllocatedDevice>& now,
                 const std::vector<AllocatedDevice>& then) {
  return std::ranges::equal(now, then, [](const AllocatedDevice& a, const AllocatedDevice& b) {
    return a.pool == b.pool && a.device == b.device && a.share_id == b.share_id;
  });
}

}  // namespace

Claimed is_still_claimed(const PreparedRecord& record, const std::string& driver,
                         const runtime::Result<std::string>& claim) {
  if (!claim) return runtime::is_not_found(claim.error()) ? Claimed::no_more : Claimed::unknown;
  // Not an answer about the claim: nothing is known.
  const auto whole = parse_json(*claim);
  if (!whole || text_at(*whole, "/metadata/uid").empty()) return Claimed::unknown;
  const auto read = read_claim(record.ref, driver, *claim);
  return read && has_devices(read->devices, record.devices) ? Claimed::still : Claimed::no_more;
}

Leftovers::Leftovers(runtime::TimeSource& time, std::string driver_name, Driver& driver,
                     ClaimReader& claims, ClaimFiles& files, CallLock& lock, runtime::Logger log)
    : time_(time),
      name_(std::move(driver_name)),
      driver_(driver),
      claims_(claims),
      files_(files),
      lock_(lock),
      log_(std::move(log)) {}

Task<> Leftovers::settle() {
  runtime::Duration pause{};
  auto records = files_.records();
  while (!records) {
    log_.warning("Cannot read the records of prepared claims; retrying",
                 {{"error", records.error().message}});
    pause = kRetry.after(pause);
    co_await runtime::sleep_for(time_, pause);
    records = files_.records();
  }
  while (!records->empty()) {
    std::vector<PreparedRecord> later;
    for (PreparedRecord& record : *records) {
      const bool is_settled = co_await settle_one(record);
      if (!is_settled) later.push_back(std::move(record));
    }
    *records = std::move(later);
    if (records->empty()) co_return;
    pause = kRetry.after(pause);
    co_await runtime::sleep_for(time_, pause);
  }
}

Task<bool> Leftovers::settle_one(PreparedRecord record) {
  const auto claim = co_await claims_.get({record.ref.namespace_, record.ref.name});
  switch (is_still_claimed(record, name_, claim)) {
    case Claimed::still:
      co_return true;
    case Claimed::unknown:
      co_return false;
    case Claimed::no_more:
    default:
      break;
  }
  co_return co_await unprepare(std::move(record));
}

// The claim may have been allocated and prepared since the look-up: then its record has changed.
Task<bool> Leftovers::unprepare(PreparedRecord record) {
  const auto turn = co_await lock_.take(Deadline::after(time_, kPatience));
  if (!turn) co_return false;
  const auto is_current = files_.is_current(record);
  if (!is_current) co_return false;
  if (!*is_current) co_return true;
  const std::string claim = record.ref.namespace_ + "/" + record.ref.name;
  const Driver::Unprepared done = co_await driver_.unprepare(record.ref);
  const auto removed = done ? files_.remove(record.ref) : runtime::Result<>();
  if (!done || !removed) {
    log_.warning("Cannot unprepare a deleted claim",
                 {{"claim", claim}, {"error", done ? removed.error().message : done.error()}});
    co_return false;
  }
  log_.info("Unprepared a claim that was deleted while the driver was down", {{"claim", claim}});
  co_return true;
}

}  // namespace dcm::driver_kit
