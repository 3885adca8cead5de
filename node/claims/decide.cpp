#include "node/claims/decide.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dcm::node {
namespace {

Held make_held(const ClaimView& view) {
  const api::ObjectMeta& meta = view.claim->meta;
  return {.entry = {.namespace_ = meta.key.namespace_.str(),
                    .name = meta.key.name.str(),
                    .uid = meta.uid.str(),
                    .drivers = driver_states(view.results),
                    .extra = EntryExtra{.allocation = allocated_devices(view.results)}}};
}

std::set<std::string> drivers_of(const std::map<std::string, DriverState>& drivers) {
  std::set<std::string> names;
  for (const auto& [name, state] : drivers) names.insert(name);
  return names;
}

// An entry written by kubelet says which drivers were allocated, but not what.
bool is_of_older_allocation(const Entry& entry, const ClaimView& view) {
  if (entry.extra) return entry.extra->allocation != allocated_devices(view.results);
  return drivers_of(entry.drivers) != drivers_of(driver_states(view.results));
}

std::optional<std::string> refuse_entry(const Held& held, const ClaimView& view) {
  const std::string name = view.claim->meta.key.name.str();
  if (held.entry.uid != view.claim->meta.uid.str()) {
    return fmt::format(
        "old ResourceClaim with same name {} and different UID {} still exists (previous pod "
        "force-deleted?!)",
        name, held.entry.uid);
  }
  if (held.is_going) return fmt::format("ResourceClaim {} is being unprepared", name);
  if (is_of_older_allocation(held.entry, view)) {
    return fmt::format("ResourceClaim {}: devices of an older allocation are still prepared", name);
  }
  return std::nullopt;
}

// Adds the drivers that have not done it yet.
void add_calls(const Held& held, const std::set<std::string>& done, std::string_view operation,
               Calls& calls, std::vector<std::string>& skipped) {
  for (const auto& [driver, state] : held.entry.drivers) {
    if (skips(state, operation)) {
      skipped.push_back(driver);
      continue;
    }
    if (done.contains(driver)) continue;
    calls[driver].push_back({held.entry.namespace_, held.entry.name, held.entry.uid});
  }
}

// An entry written by kubelet only says which devices were prepared.
bool holds(const Entry& entry, const DeviceKey& device) {
  if (entry.extra) return entry.extra->allocation.contains(device);
  const auto driver = entry.drivers.find(device.driver);
  if (driver == entry.drivers.end()) return false;
  return std::ranges::any_of(driver->second.devices, [&](const PreparedDevice& prepared) {
    return prepared.pool == device.pool && prepared.device == device.device &&
           prepared.share_id.value_or("") == device.share_id;
  });
}

}  // namespace

api::NamespacedName key_of(const ClaimView& view) {
  return view.claim->meta.key;
}

namespace {

// Entries of claims outside of `views` that hold a device which the view's claim must use
// exclusively, with that device.
std::map<api::NamespacedName, DeviceKey> holders_of(const Book& book, const ClaimView& view,
                                                    const std::vector<ClaimView>& views) {
  std::map<api::NamespacedName, DeviceKey> holders;
  for (const DeviceKey& device : allocated_devices(view.results)) {
    if (device.is_admin) continue;
    for (const auto& [key, held] : book) {
      if (holds(held.entry, device)) holders.emplace(key, device);
    }
  }
  for (const ClaimView& own : views) holders.erase(key_of(own));
  return holders;
}

}  // namespace

std::expected<PreparePlan, std::string> decide_prepare(const Book& book, const std::string& pod_uid,
                                                       const std::vector<ClaimView>& views) {
  PreparePlan plan;
  std::set<api::NamespacedName> seen;  // two pod claims may share one
  for (const ClaimView& view : views) {
    const api::NamespacedName key = key_of(view);
    if (!seen.insert(key).second) continue;
    const auto found = book.find(key);
    if (found != book.end()) {
      if (auto why = refuse_entry(found->second, view)) return std::unexpected(std::move(*why));
    }
    Held held = found == book.end() ? make_held(view) : found->second;
    held.entry.pod_uids.insert(pod_uid);
    if (!held.entry.extra)
      held.entry.extra = EntryExtra{.allocation = allocated_devices(view.results)};
    if (!held.is_prepared) add_calls(held, held.prepared, kSkipPrepare, plan.calls, plan.skipped);
    plan.entries.push_back(std::move(held));
  }
  return plan;
}

std::set<api::NamespacedName> entries_in_the_way(const Book& book,
                                                 const std::vector<ClaimView>& views) {
  std::set<api::NamespacedName> keys;
  for (const ClaimView& view : views) {
    const auto found = book.find(key_of(view));
    if (found != book.end() && refuse_entry(found->second, view)) keys.insert(found->first);
    for (const auto& [holder, device] : holders_of(book, view, views)) keys.insert(holder);
  }
  return keys;
}

std::optional<std::string> refuse_devices(const Book& book, const std::vector<ClaimView>& views) {
  for (const ClaimView& view : views) {
    for (const auto& [holder, device] : holders_of(book, view, views)) {
      return fmt::format("ResourceClaim {}: device {}/{}/{} is still prepared for ResourceClaim {}",
                         view.claim->meta.key.name, device.driver, device.pool, device.device,
                         holder.name);
    }
  }
  return std::nullopt;
}

std::optional<EntryExtra> extra_from(const Entry& entry, const ClaimView& view) {
  if (entry.uid != view.claim->meta.uid.str()) return std::nullopt;
  Entry completed = entry;
  completed.extra = EntryExtra{.allocation = allocated_devices(view.results)};
  for (const auto& [driver, state] : entry.drivers) {
    if (!unallocated_devices(completed, driver, state.devices).empty()) return std::nullopt;
  }
  return completed.extra;
}

UnpreparePlan decide_unprepare(const Book& book, const std::string& pod_uid,
                               const std::set<api::NamespacedName>& keys) {
  UnpreparePlan plan;
  for (const api::NamespacedName& key : keys) {
    const auto found = book.find(key);
    if (found == book.end()) continue;
    const Held& held = found->second;
    const std::set<std::string>& pods = held.entry.pod_uids;
    if (!pods.empty() && !pods.contains(pod_uid)) continue;
    if (pods.size() > 1) {
      plan.shared.push_back(key);
      continue;
    }
    plan.last.push_back(key);
    add_calls(held, held.unprepared, kSkipUnprepare, plan.calls, plan.skipped);
  }
  return plan;
}

Verdict judge_answers(std::string_view method, const std::vector<ClaimRef>& asked,
                      const Answers& answers) {
  Verdict verdict;
  std::size_t unknown = 0;
  for (const auto& [uid, answer] : answers) {
    const auto claim = std::ranges::find(asked, uid, &ClaimRef::uid);
    if (claim == asked.end()) {
      ++unknown;
      verdict.error = fmt::format("{} returned result for unknown claim UID {}", method, uid);
    } else if (answer.error.empty()) {
      verdict.succeeded.push_back(*claim);
    } else if (!verdict.error) {
      verdict.error =
          fmt::format("{} failed for ResourceClaim {}: {}", method, claim->name, answer.error);
    }
  }
  const std::size_t answered = answers.size() - unknown;
  if (!verdict.error && answered < asked.size()) {
    verdict.error = fmt::format("{} skipped {} ResourceClaims", method, asked.size() - answered);
  }
  return verdict;
}

std::vector<std::string> unallocated_devices(const Entry& entry, const std::string& driver,
                                             const std::vector<PreparedDevice>& devices) {
  std::vector<std::string> names;
  if (!entry.extra) return names;
  for (const PreparedDevice& device : devices) {
    const auto is_it = [&](const DeviceKey& allocated) {
      return allocated.driver == driver && allocated.pool == device.pool &&
             allocated.device == device.device &&
             (!device.share_id || allocated.share_id == *device.share_id);
    };
    if (std::ranges::any_of(entry.extra->allocation, is_it)) continue;
    names.push_back(fmt::format("{}/{}/{}", driver, device.pool, device.device));
  }
  return names;
}

}  // namespace dcm::node
