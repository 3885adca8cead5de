#include "test/simulation/reports.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "test/simulation/decode.hpp"

namespace dcm::simulation {
namespace {

// The limit of client-go, which documents it: reports about one object.
constexpr std::int64_t kBurst = 25;
constexpr runtime::Duration kRefill = std::chrono::minutes(5);

}  // namespace

std::optional<Breach> Reports::observe(const std::string& process,
                                       const apiserver::Change& change) {
  if (change.after == nullptr) return std::nullopt;
  const Report written = decode_report(*change.after);
  Report& report = reports_[change.key];
  const std::int64_t added = written.count - report.count;
  const std::string first_writer = report.process.empty() ? process : report.process;
  report = written;
  report.process = first_writer;
  Total& total =
      totals_.try_emplace({first_writer, report.uid, report.reason}, 0, time_.now()).first->second;
  total.count += added;
  if (total.count <= kBurst + 1 + (time_.now() - total.since) / kRefill) return std::nullopt;
  return Breach{"a manager says the same a bounded number of times",
                fmt::format("{} {}", change.key, report.reason)};
}

bool Reports::are_there(const std::string& uid, std::string_view reason) const {
  return std::ranges::any_of(reports_, [&](const auto& each) {
    return each.second.uid == uid && each.second.reason == reason;
  });
}

std::int64_t Reports::count(const std::string& uid, std::string_view message) const {
  std::int64_t count = 0;
  for (const auto& [key, report] : reports_) {
    if (report.uid == uid && report.message == message) count += report.count;
  }
  return count;
}

// An eviction that is cancelled may begin again.
std::optional<Breach> Reports::breach_at_end() const {
  for (const std::string& uid : evicted_) {
    const std::int64_t said = count(uid, "Marking for deletion");
    if (said >= 1 && said <= 1 + count(uid, "Cancelling deletion")) continue;
    return Breach{"an eviction is reported once", fmt::format("{}: {} times", uid, said)};
  }
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const auto& [key, report] : reports_) {
    if (seen.emplace(report.uid, report.reason, report.message).second) continue;
    return Breach{"what is repeated is one Event", key};
  }
  return std::nullopt;
}

}  // namespace dcm::simulation
