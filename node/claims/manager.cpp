#include "node/claims/manager.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "node/devices/health.hpp"
#include "runtime/dns_names.hpp"
#include "runtime/run_all.hpp"

namespace dcm::node {

using runtime::Result;
using runtime::Task;

namespace {

// How long a pod waits for operations of other pods on its claims: longer than one call takes, and
// not for a whole queue of pods in front of a driver that hangs.
constexpr runtime::Duration kPatience = std::chrono::seconds(60);

// For each driver: few enough for one that works on one call at a time to answer all in time.
constexpr std::size_t kOrphansAtOnce = 16;

ClaimResult failed(std::string_view context, const std::string& why) {
  return std::unexpected(std::string(context) + why);
}

std::set<api::NamespacedName> keys_of(const api::Pod& pod,
                                      const std::vector<ClaimToLookUp>& claims) {
  std::set<api::NamespacedName> keys;
  for (const ClaimToLookUp& claim : claims) {
    keys.insert({pod.meta.key.namespace_, claim.name});
  }
  return keys;
}

std::set<api::NamespacedName> keys_of(const std::vector<Held>& entries) {
  std::set<api::NamespacedName> keys;
  for (const Held& held : entries) keys.insert(key_of(held.entry));
  return keys;
}

// Like kubelet, the node keeps an entry without a claim until its pods are gone, but does not ask
// the API server for the claim.
bool is_of_claim(const Entry& entry) {
  return runtime::can_be_name(entry.namespace_) && runtime::can_be_name(entry.name) &&
         !entry.uid.empty();
}

// Notes that a pod is being prepared.
class Preparing {
 public:
  Preparing(std::multiset<std::string>& pods, std::string uid)
      : pods_(pods), entry_(pods.insert(std::move(uid))) {}
  ~Preparing() { pods_.erase(entry_); }
  Preparing(const Preparing&) = delete;
  Preparing& operator=(const Preparing&) = delete;

 private:
  std::multiset<std::string>& pods_;
  std::multiset<std::string>::iterator entry_;
};

}  // namespace

ClaimManager::ClaimManager(runtime::LoopRef loop, ClaimSource& claims, DriverCalls& drivers,
                           CheckpointStore& store, runtime::Logger log, ClaimManagerOptions options)
    : loop_(loop),
      claims_(claims),
      drivers_(drivers),
      store_(store),
      log_(std::move(log)),
      options_(std::move(options)),
      locks_(loop.time()),
      writes_(loop.time(), [this] { return store_.write(entries_of(book_)); }) {}

Result<> ClaimManager::open() {
  auto entries = store_.open();
  if (!entries) return runtime::fail(entries.error());
  book_ = make_book(*std::move(entries));
  const auto strange = std::ranges::find_if_not(
      book_, [](const auto& each) { return is_of_claim(each.second.entry); });
  if (strange != book_.end()) {
    log_.warning("The checkpoint has entries that no claim can have; they go with their pods",
                 {{"namespace", strange->first.namespace_.str()},
                  {"name", strange->first.name.str()},
                  {"uid", strange->second.entry.uid}});
  }
  return {};
}

Task<ClaimResult> ClaimManager::prepare(api::ObjectPtr<api::Pod> pod) {
  constexpr std::string_view kContext = "prepare dynamic resources: ";
  const auto wanted = claims_to_look_up(*pod);
  if (!wanted) co_return failed(kContext, wanted.error());
  std::set<api::NamespacedName> keys = keys_of(*pod, *wanted);
  const Preparing preparing(preparing_, pod->meta.uid.str());
  const auto deadline = runtime::Deadline::after(loop_.time(), kPatience);
  Prepared prepared;
  do {
    const auto hold = co_await locks_.take_until(deadline, keys);
    if (!hold) {
      co_return failed(kContext, fmt::format("ResourceClaim {} is still being prepared or "
                                             "unprepared for another pod",
                                             hold.error().name));
    }
    prepared = co_await prepare_claims(*pod, *wanted, keys);
  } while (!prepared);
  if (!*prepared) co_return failed(kContext, prepared->error());
  co_return *prepared;
}

Task<ClaimManager::Prepared> ClaimManager::prepare_claims(const api::Pod& pod,
                                                          const std::vector<ClaimToLookUp>& wanted,
                                                          std::set<api::NamespacedName>& locked) {
  const Views views = co_await look(pod, wanted);
  if (!views) co_return std::unexpected(views.error());
  std::set<api::NamespacedName> in_the_way = entries_in_the_way(book_, *views);
  if (std::ranges::includes(locked, in_the_way)) {
    co_await complete(in_the_way);
    in_the_way = entries_in_the_way(book_, *views);  // there may be other entries now
  }
  if (!std::ranges::includes(locked, in_the_way)) {
    locked.insert(in_the_way.begin(), in_the_way.end());
    co_return std::nullopt;
  }
  co_await clear_the_way(in_the_way, pod.meta.uid.str());
  if (auto why = refuse_devices(book_, *views)) co_return std::unexpected(*std::move(why));
  const auto plan = decide_prepare(book_, pod.meta.uid.str(), *views);
  if (!plan) co_return std::unexpected(plan.error());
  if (ClaimResult written = co_await write_ahead(plan->entries); !written) co_return written;
  co_return co_await call_prepare(*plan);
}

Task<ClaimManager::Views> ClaimManager::look(const api::Pod& pod,
                                             const std::vector<ClaimToLookUp>& wanted) {
  std::vector<ClaimView> views;
  const auto is_registered = [&](const std::string& driver) {
    return drivers_.is_registered(driver);
  };
  for (const ClaimToLookUp& claim : wanted) {
    Result<ClaimView> view = co_await claims_.get({pod.meta.key.namespace_, claim.name});
    if (!view) {
      co_return std::unexpected("fetch ResourceClaim " + claim.name + ": " + view.error().message);
    }
    if (auto why = refuse_claim(pod, claim, *view, options_.rules)) co_return std::unexpected(*why);
    if (auto why = refuse_drivers(*view, is_registered)) co_return std::unexpected(*why);
    views.push_back(*std::move(view));
  }
  co_return views;
}

// An entry written by kubelet does not tell adminAccess. Its claim does.
Task<> ClaimManager::complete(const std::set<api::NamespacedName>& in_the_way) {
  for (const api::NamespacedName& key : in_the_way) {
    if (book_.at(key).entry.extra || !is_of_claim(book_.at(key).entry)) continue;
    const Result<ClaimView> view = co_await claims_.get(key);
    if (!view) continue;
    Entry& entry = book_.at(key).entry;
    entry.extra = extra_from(entry, *view);
  }
}

// An entry of an older claim or allocation, or of another claim that had the device before, is
// removed as soon as none of its pods is active. A restore of etcd may bring this pod back while
// its own entry is being removed: the removal is finished first.
Task<> ClaimManager::clear_the_way(const std::set<api::NamespacedName>& in_the_way,
                                   const std::string& pod_uid) {
  if (!active_) co_return;
  for (const api::NamespacedName& key : in_the_way) {
    const bool is_going = book_.at(key).is_going;
    const std::set<std::string> pods = book_.at(key).entry.pod_uids;
    for (const std::string& uid : pods) {
      const bool has_returned = is_going && uid == pod_uid;
      if (active_->contains(uid) && !has_returned) continue;
      (void)co_await unprepare_held(uid, {key});
    }
  }
}

Task<ClaimResult> ClaimManager::write_ahead(const std::vector<Held>& entries) {
  const bool is_known = std::ranges::all_of(entries, [&](const Held& held) {
    const auto found = book_.find(key_of(held.entry));
    return found != book_.end() && found->second == held;
  });
  if (is_known) co_return ClaimResult();
  const ClaimResult written = co_await commit(keys_of(entries), [&] {
    for (const Held& held : entries) book_[key_of(held.entry)] = held;
  });
  if (!written) co_return failed("checkpoint ResourceClaim cache: ", written.error());
  co_return written;
}

Task<ClaimResult> ClaimManager::call_prepare(const PreparePlan& plan) {
  for (const std::string& driver : plan.skipped) options_.on_skip(kSkipPrepare, driver);
  const std::set<api::NamespacedName> keys = keys_of(plan.entries);
  const Book before = copy_of(keys);
  const Failure failure = co_await call_all(plan.calls, &ClaimManager::prepare_one);
  mark_prepared(plan.entries);
  if (copy_of(keys) != before) {
    const ClaimResult written = co_await write_or_restore(keys, before);
    if (!written) co_return failed("checkpoint ResourceClaim state: ", written.error());
  }
  if (failure) co_return std::unexpected(*failure);
  co_return ClaimResult();
}

Task<ClaimManager::Failure> ClaimManager::prepare_one(std::string driver,
                                                      const std::vector<ClaimRef>& claims) {
  const DriverCalls::Answer answer = co_await drivers_.prepare(driver, claims);
  if (!answer) co_return "NodePrepareResources: " + answer.error();
  Verdict verdict = judge_answers("NodePrepareResources", claims, *answer);
  for (const ClaimRef& claim : verdict.succeeded) {
    record(claim, driver, answer->at(claim.uid).devices);
  }
  co_return std::move(verdict.error);
}

void ClaimManager::record(const ClaimRef& claim, const std::string& driver,
                          const std::vector<PreparedDevice>& devices) {
  Held& held = book_.at(claim.key());
  if (const auto strays = unallocated_devices(held.entry, driver, devices); !strays.empty()) {
    log_.warning("A driver has prepared devices that are not allocated to the claim",
                 {{"claim", claim.key().str()},
                  {"count", std::to_string(strays.size())},
                  {"devices", cut_message(fmt::format("{}", fmt::join(strays, " ")))}});
  }
  held.entry.drivers[driver].devices = devices;
  held.prepared.insert(driver);
}

void ClaimManager::mark_prepared(const std::vector<Held>& entries) {
  for (const Held& planned : entries) {
    Held& held = book_.at(key_of(planned.entry));
    if (held.is_prepared) continue;
    held.is_prepared = std::ranges::all_of(held.entry.drivers, [&](const auto& driver) {
      return skips(driver.second, kSkipPrepare) || held.prepared.contains(driver.first);
    });
  }
}

Task<ClaimResult> ClaimManager::unprepare(api::ObjectPtr<api::Pod> pod) {
  const std::string uid = pod->meta.uid.str();
  std::set<api::NamespacedName> keys = claims_of_pod(book_, uid);
  const auto wanted = claims_to_look_up(*pod);
  // If the pod is being prepared, its entries are about to be created. Otherwise it need not wait
  // for other pods of its claims.
  const bool may_have_more =
      preparing_.contains(uid) || options_.unknown == UnknownClaims::unprepare;
  if (wanted && may_have_more) keys.merge(keys_of(*pod, *wanted));
  if (wanted && options_.unknown == UnknownClaims::unprepare) {
    const ClaimLocks::Hold hold = co_await locks_.take(keys);
    const ClaimResult entered = co_await enter_held(*pod, *wanted);
    if (!entered) co_return failed("unprepare dynamic resources: ", entered.error());
  }
  co_return co_await unprepare_claims(uid, std::move(keys));
}

Task<ClaimResult> ClaimManager::enter(api::ObjectPtr<api::Pod> pod) {
  const auto wanted = claims_to_look_up(*pod);
  if (!wanted) co_return std::unexpected(wanted.error());
  const ClaimLocks::Hold hold = co_await locks_.take(keys_of(*pod, *wanted));
  co_return co_await enter_held(*pod, *wanted);
}

Task<ClaimResult> ClaimManager::enter_held(const api::Pod& pod,
                                           const std::vector<ClaimToLookUp>& claims) {
  const std::string uid = pod.meta.uid.str();
  const std::set<api::NamespacedName> entered = claims_of_pod(book_, uid);
  std::vector<ClaimView> views;
  for (const ClaimToLookUp& claim : claims) {
    const api::NamespacedName key{pod.meta.key.namespace_, claim.name};
    if (entered.contains(key)) continue;
    Result<ClaimView> view = co_await claims_.get(key);
    if (view && !refuse_claim(pod, claim, *view, options_.rules)) {
      views.push_back(*std::move(view));
    } else if (!view && !runtime::is_not_found(view.error())) {
      co_return std::unexpected("fetch ResourceClaim " + claim.name + ": " + view.error().message);
    }
  }
  // These entries belong to other pods: no prepare of this pod can have passed them.
  const std::set<api::NamespacedName> others = entries_in_the_way(book_, views);
  std::erase_if(views, [&](const ClaimView& view) { return others.contains(key_of(view)); });
  auto plan = decide_prepare(book_, uid, views);
  if (!plan) co_return std::unexpected(plan.error());
  for (const ClaimView& view : views) {
    for (Held& held : plan->entries) add_other_pods(view, held);
  }
  co_return co_await write_ahead(plan->entries);
}

// It is unknown for which pods a claim was prepared, so it stays until the last has ended.
void ClaimManager::add_other_pods(const ClaimView& view, Held& held) const {
  if (!active_ || held.entry.uid != view.claim->meta.uid.str()) return;
  for (const api::ConsumerReference& consumer : view.claim->reserved_for) {
    const std::string uid = consumer.uid.str();
    if (active_->contains(uid)) held.entry.pod_uids.insert(uid);
  }
}

Task<ClaimResult> ClaimManager::unprepare_claims(std::string pod_uid,
                                                 std::set<api::NamespacedName> keys) {
  const ClaimLocks::Hold hold = co_await locks_.take(keys);
  const ClaimResult outcome = co_await unprepare_held(pod_uid, keys);
  if (!outcome) co_return failed("unprepare dynamic resources: ", outcome.error());
  co_return outcome;
}

Task<ClaimResult> ClaimManager::unprepare_held(const std::string& pod_uid,
                                               const std::set<api::NamespacedName>& keys) {
  const UnpreparePlan plan = decide_unprepare(book_, pod_uid, keys);
  if (plan.shared.empty() && plan.last.empty()) co_return ClaimResult();
  const Failure failure = co_await call_unprepare(plan);
  if (!failure) co_return co_await drop(plan, pod_uid);
  // Claims that other pods keep using do not wait for this pod's own drivers.
  if (!plan.shared.empty()) (void)co_await drop({plan.shared, {}, {}}, pod_uid);
  co_return std::unexpected(*failure);
}

Task<ClaimManager::Failure> ClaimManager::call_unprepare(const UnpreparePlan& plan) {
  for (const std::string& driver : plan.skipped) options_.on_skip(kSkipUnprepare, driver);
  Failure missing;
  Calls calls;
  for (const auto& [driver, claims] : plan.calls) {
    if (drivers_.is_registered(driver)) {
      mark_going(claims);
      calls[driver] = claims;
    } else if (!missing) {
      missing = "DRA driver " + driver + " is not registered";
    }
  }
  const Failure failure = co_await call_all(calls, &ClaimManager::unprepare_one);
  co_return failure ? failure : missing;
}

Task<ClaimManager::Failure> ClaimManager::unprepare_one(std::string driver,
                                                        const std::vector<ClaimRef>& claims) {
  const DriverCalls::Answer answer = co_await drivers_.unprepare(driver, claims);
  if (!answer) co_return "NodeUnprepareResources: " + answer.error();
  Verdict verdict = judge_answers("NodeUnprepareResources", claims, *answer);
  for (const ClaimRef& claim : verdict.succeeded) {
    book_.at(claim.key()).unprepared.insert(driver);
  }
  co_return std::move(verdict.error);
}

// After the first call it is unknown what is prepared.
void ClaimManager::mark_going(const std::vector<ClaimRef>& claims) {
  for (const ClaimRef& claim : claims) book_.at(claim.key()).is_going = true;
}

Task<ClaimResult> ClaimManager::drop(const UnpreparePlan& plan, const std::string& pod_uid) {
  std::set<api::NamespacedName> keys(plan.shared.begin(), plan.shared.end());
  keys.insert(plan.last.begin(), plan.last.end());
  const ClaimResult written = co_await commit(keys, [&] {
    for (const api::NamespacedName& key : plan.shared) book_.at(key).entry.pod_uids.erase(pod_uid);
    for (const api::NamespacedName& key : plan.last) book_.erase(key);
  });
  if (!written) co_return failed("checkpoint ResourceClaim state: ", written.error());
  co_return written;
}

Task<std::vector<std::string>> ClaimManager::unprepare_orphans() {
  std::vector<std::string> failures;
  if (!active_) co_return failures;
  std::set<std::pair<std::string, api::NamespacedName>> orphans;  // pod and claim
  for (const auto& [key, held] : book_) {
    if (held.entry.pod_uids.empty()) orphans.emplace("", key);
    for (const std::string& uid : held.entry.pod_uids) {
      if (!active_->contains(uid)) orphans.emplace(uid, key);
    }
  }
  std::map<std::string, runtime::Slots> slots;  // by an entry's first driver
  std::vector<Task<ClaimResult>> tasks;
  for (const auto& [uid, key] : orphans) {
    const auto& drivers = book_.at(key).entry.drivers;
    const std::string driver = drivers.empty() ? "" : drivers.begin()->first;
    const auto own = slots.try_emplace(driver, loop_.time(), kOrphansAtOnce).first;
    tasks.push_back(unprepare_orphan(own->second, uid, key));
  }
  const auto outcomes = co_await runtime::run_all(loop_.executor(), std::move(tasks));
  for (const ClaimResult& outcome : outcomes) {
    if (!outcome) failures.push_back(outcome.error());
  }
  co_return failures;
}

Task<ClaimResult> ClaimManager::unprepare_orphan(runtime::Slots& slots, std::string pod_uid,
                                                 api::NamespacedName key) {
  const auto slot = co_await slots.acquire({});
  co_return co_await unprepare_claims(std::move(pod_uid), {std::move(key)});
}

Task<ClaimManager::Failure> ClaimManager::call_all(const Calls& calls, CallOne call) {
  std::vector<Task<Failure>> tasks;
  for (const auto& [driver, claims] : calls) tasks.push_back((this->*call)(driver, claims));
  std::vector<Failure> failures = co_await runtime::run_all(loop_.executor(), std::move(tasks));
  const auto first = std::ranges::find_if(failures, &Failure::has_value);
  if (first == failures.end()) co_return std::nullopt;
  co_return *std::move(first);
}

Task<ClaimResult> ClaimManager::commit(std::set<api::NamespacedName> keys,
                                       const std::function<void()>& change) {
  const Book before = copy_of(keys);
  change();
  co_return co_await write_or_restore(std::move(keys), before);
}

Task<ClaimResult> ClaimManager::write_or_restore(std::set<api::NamespacedName> keys,
                                                 const Book& before) {
  Result<> written;
  try {
    written = co_await writes_.write();
  } catch (...) {
    restore(keys, before);  // otherwise a later operation would take it for written
    throw;
  }
  if (written) co_return ClaimResult();
  restore(keys, before);
  co_return std::unexpected(written.error().message);
}

Book ClaimManager::copy_of(const std::set<api::NamespacedName>& keys) const {
  Book copy;
  for (const api::NamespacedName& key : keys) {
    if (const auto found = book_.find(key); found != book_.end()) copy.insert(*found);
  }
  return copy;
}

void ClaimManager::restore(const std::set<api::NamespacedName>& keys, const Book& before) {
  for (const api::NamespacedName& key : keys) book_.erase(key);
  book_.insert(before.begin(), before.end());
}

}  // namespace dcm::node
