#include "test/simulation/kubelet.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "test/simulation/huge_answers.hpp"

namespace dcm::simulation {
namespace {

using namespace std::chrono_literals;
using node::ClaimRef;
using runtime::Duration;
using runtime::Result;
using runtime::Task;

constexpr const char* kStateFolder = "/state";
// Of a call, like kubelet's.
constexpr Duration kCallTimeout = 45s;
// Hundreds of pods, one call after the other.
constexpr Duration kSoon = 5min;

}  // namespace

// ---- the driver ---------------------------------------------------------------------------------

Task<NodeDriver::Answer> NodeDriver::prepare(std::string /*driver*/, std::vector<ClaimRef> claims) {
  return call(std::move(claims), true);
}

Task<NodeDriver::Answer> NodeDriver::unprepare(std::string /*driver*/,
                                               std::vector<ClaimRef> claims) {
  return call(std::move(claims), false);
}

Task<NodeDriver::Answer> NodeDriver::call(std::vector<ClaimRef> claims, bool is_prepare) {
  const auto call = std::make_shared<Call>(std::move(claims), is_prepare, time_);
  calls_.push_back(call);
  called_.notify_all();
  const auto deadline = runtime::Deadline::after(time_, kCallTimeout);
  while (!call->answer) {
    if (co_await call->answered.wait(deadline) == runtime::Condition::Wakeup::timed_out) {
      co_return std::unexpected(
          "rpc error: code = DeadlineExceeded desc = context deadline exceeded");
    }
  }
  co_return *call->answer;
}

Task<> NodeDriver::run() {
  while (true) {
    while (calls_.empty()) co_await called_.wait();
    const std::shared_ptr<Call> call = calls_.front();
    calls_.pop_front();
    co_await runtime::sleep_for(time_, draw_work());
    call->answer = carry_out(*call);
    call->answered.notify_all();
  }
}

Duration NodeDriver::draw_work() {
  const Duration most = trouble == Trouble::hangs ? Duration(90s) : Duration(200ms);
  return Duration(static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(most.count()))));
}

NodeDriver::Answer NodeDriver::carry_out(const Call& call) {
  if (trouble == Trouble::is_gone || (trouble == Trouble::refuses && rng_.below(2) == 0)) {
    return std::unexpected("rpc error: code = Unavailable desc = the driver is in trouble");
  }
  if (trouble == Trouble::answers_hugely && call.is_prepare) return answer_hugely(call.claims);
  node::Answers answers;
  for (const ClaimRef& claim : call.claims) {
    node::ClaimAnswer& answer = answers[claim.uid];
    if (trouble == Trouble::refuses && rng_.below(2) == 0) {
      answer.error = "the device is in trouble";
    } else if (call.is_prepare) {
      prepared_.insert(claim.uid);
      answer.devices = {{.pool = "pool", .device = claim.name, .cdi_ids = {"x/y=" + claim.uid}}};
    } else {
      prepared_.erase(claim.uid);
    }
  }
  if (trouble == Trouble::loses_answers) {
    return std::unexpected("rpc error: code = Unavailable desc = error reading from server: EOF");
  }
  return answers;
}

NodeDriver::Answer NodeDriver::answer_hugely(const std::vector<ClaimRef>& claims) {
  for (const ClaimRef& claim : claims) prepared_.insert(claim.uid);
  auto answers = huge_prepare_answer(claims, static_cast<HugeAnswer>(rng_.below(kHugeAnswers)));
  if (!answers) return std::unexpected("rpc error: code = Internal desc = not such a message");
  return *std::move(answers);
}

// ---- the node -----------------------------------------------------------------------------------

Kubelet::Kubelet(ActorContext context, runtime::Rng rng, std::string name,
                 common::GroupClaims groups, Likelihood likelihood)
    : Actor(context, rng),
      name_(std::move(name)),
      groups_(groups),
      likelihood_(likelihood),
      driver_(context.loop.time(), rng_.fork()),
      pod_decoder_(api::make_json_pod_decoder(api::PodSelection::all)),
      claim_decoder_(api::make_json_claim_decoder("v1")),
      driver_task_(context.loop.executor()) {
  files_.set_step([this](std::string_view /*operation*/, const std::string& path) -> Result<> {
    if (!is_dead_) return {};
    return runtime::fail(runtime::Reason::configuration, path + ": this process has died");
  });
  driver_task_.spawn("driver", driver_.run());
  start();
}

void Kubelet::start() {
  tasks_.emplace(context_.loop.executor());
  store_.emplace(files_, kStateFolder, rng_.fork());
  claims_.emplace(context_.loop, static_cast<node::ClaimSource&>(*this), driver_, *store_,
                  runtime::Logger(), node::ClaimManagerOptions{.rules = {.groups = groups_}});
  if (const Result<> opened = claims_->open(); !opened) {
    breach_ = Breach{"a node can use what a crash has left", opened.error().message};
  }
}

Task<> Kubelet::crash(Failure failure) {
  context_.timeline.note(name_, failure == Failure::process ? "is killed" : "loses power");
  is_dead_ = true;
  tasks_->cancel();
  co_await tasks_->join();
  busy_.clear();
  looks_for_orphans_ = false;
  claims_.reset();
  is_dead_ = false;
  if (failure != Failure::process) {
    using Names = test::MemoryFiles::UnsyncedNames;
    files_.fail_machine(failure == Failure::machine_loses_names ? Names::lost : Names::kept);
    started_.clear();
    if (rng_.below(2) == 0) driver_.forget();
  }
  start();
}

Task<> Kubelet::stop() {
  tasks_->cancel();
  co_await tasks_->join();
  driver_task_.cancel();
  co_await driver_task_.join();
}

Task<Result<node::ClaimView>> Kubelet::get(api::NamespacedName key) {
  co_await pause(0.3);
  if (!may_read(key)) {
    co_return runtime::fail(
        runtime::Reason::forbidden,
        fmt::format("resourceclaims \"{}\" is forbidden: no relationship found between node '{}' "
                    "and this object",
                    key.name, name_));
  }
  const apiserver::Response response =
      context_.send("kubelet", "GET", claims_in(key.namespace_.str()) + "/" + key.name, "");
  if (response.status != 200) {
    co_return runtime::fail(runtime::Reason::object_not_found,
                            fmt::format("resourceclaims \"{}\" not found", key.name));
  }
  auto decoded = claim_decoder_->decode_object(response.body);
  if (!decoded) co_return runtime::fail(decoded.error());
  co_return node::ClaimView{.claim = decoded->object,
                            .results = node::allocation_results(response.body)};
}

// The Node authorizer knows which claims the pods of a node name. It may learn of a new pod later
// than the node.
bool Kubelet::may_read(const api::NamespacedName& key) {
  constexpr double kNotYet = 0.03;
  if (!context_.is_over() && chance(kNotYet)) return false;
  return std::ranges::any_of(context_.cluster.pods, [&](const auto& each) {
    const Pod& pod = each.second;
    const auto names_it = [&](const PodClaim& claim) { return key.name == pod.claim_of(claim); };
    return pod.node == name_ && key.namespace_ == pod.ns &&
           (key.name == pod.extended_claim || std::ranges::any_of(pod.claims, names_it));
  });
}

Task<> Kubelet::look() {
  draw_trouble();
  if (!context_.is_over() && chance(likelihood_.crash)) {
    trouble_until_ = std::max(trouble_until_, now());
    co_await crash(static_cast<Failure>(rng_.below(3)));
  }
  tell_who_is_active();
  const auto& pods = context_.cluster.pods;
  for (auto next = pods.begin(); next != pods.end();) {
    const Pod& pod = (next++)->second;  // which may be gone when its turn is over
    if (pod.node == name_ && !busy_.contains(pod.uid)) look_at(pod);
  }
}

void Kubelet::draw_trouble() {
  using Trouble = NodeDriver::Trouble;
  if (driver_.trouble != Trouble::none) {
    if (now() >= trouble_until_) driver_.trouble = Trouble::none;
  } else if (!context_.is_over() && chance(likelihood_.trouble)) {
    driver_.trouble = static_cast<Trouble>(1 + rng_.below(5));
    trouble_until_ = now() + 1s * rng_.below(90);
    context_.timeline.note(
        name_, fmt::format("its driver is in trouble: {}", std::to_underlying(driver_.trouble)));
  }
}

bool Kubelet::is_active(const std::string& pod_uid) const {
  const Pod* pod = context_.cluster.find_pod(pod_uid);
  return pod != nullptr && pod->node == name_ && !pod->has_ended();
}

void Kubelet::tell_who_is_active() {
  std::set<std::string> active;
  for (const auto& [key, pod] : context_.cluster.pods) {
    if (pod.node != name_ || pod.has_ended()) continue;
    active.insert(pod.uid);
  }
  std::erase_if(started_, [&](const std::string& uid) { return !active.contains(uid); });
  claims_->observe_pods(std::move(active));
  if (claims_->book().empty() || std::exchange(looks_for_orphans_, true)) return;
  tasks_->spawn("orphans", unprepare_orphans());
}

Task<> Kubelet::unprepare_orphans() {
  co_await claims_->unprepare_orphans();
  looks_for_orphans_ = false;
}

void Kubelet::look_at(const Pod& pod) {
  if (pod.is_being_deleted) {
    const auto [stopped, is_new] =
        dying_.try_emplace(pod.uid, now() + std::chrono::milliseconds(rng_.below(30'000)));
    if (now() < stopped->second) return;
    // As in kubelet, its end goes on even if a restore of etcd takes the deletion back.
    finishing_.insert(pod.uid);
    busy_.insert(pod.uid);
    return tasks_->spawn("end", end_pod(pod));
  }
  if (pod.has_ended()) return;
  const bool runs = started_.contains(pod.uid);
  if (runs && !context_.is_over() && chance(likelihood_.finish)) finishing_.insert(pod.uid);
  if (finishing_.contains(pod.uid)) {
    busy_.insert(pod.uid);
    return tasks_->spawn("end", end_pod(pod));
  }
  if (runs || (!may_start(pod) && !chance(0.02))) return;
  busy_.insert(pod.uid);
  tasks_->spawn("start", start_pod(pod));
}

// The pod may use its claims, and no other pod holds an earlier claim of the same name, devices
// that the claim had before, or a device of the claim. The last happens where the pod group of a
// running pod is deleted: the group's claim is released, and its devices are allocated again.
bool Kubelet::may_start(const Pod& pod) const {
  const auto may_use = [&](const Claim* claim) {
    return claim != nullptr && claim->is_allocated && claim->is_reserved_for(pod) &&
           std::ranges::none_of(claims_->book(), [&](const auto& each) {
             return is_in_the_way(each.second, *claim);
           });
  };
  const bool has_all = std::ranges::all_of(pod.claims, [&](const PodClaim& pod_claim) {
    return may_use(context_.cluster.usable_claim(pod, pod_claim));
  });
  return has_all && (pod.extended_claim.empty() || may_use(context_.cluster.extended_claim(pod)));
}

bool Kubelet::is_in_the_way(const node::Held& held, const Claim& claim) const {
  const node::Entry& entry = held.entry;
  std::set<node::DeviceKey> devices;
  for (const Device& device : claim.devices) {
    devices.insert({device.driver, device.pool, device.device});
  }
  const bool has_its_name = entry.namespace_ == claim.ns && entry.name == claim.name;
  const bool is_older = has_its_name && (entry.uid != claim.uid ||
                                         (entry.extra && entry.extra->allocation != devices));
  const bool holds_its_device =
      !has_its_name && entry.extra &&
      std::ranges::any_of(entry.extra->allocation,
                          [&](const node::DeviceKey& device) { return devices.contains(device); });
  return (is_older || holds_its_device) &&
         std::ranges::any_of(entry.pod_uids, [this](const auto& pod) { return is_active(pod); });
}

api::ObjectPtr<api::Pod> Kubelet::read(const Pod& pod) const {
  const auto decoded = pod_decoder_->decode_object(
      context_.send("kubelet", "GET", pods_in(pod.ns) + "/" + pod.name, "").body);
  if (!decoded || decoded->object == nullptr || decoded->object->meta.uid.str() != pod.uid) {
    return nullptr;
  }
  return decoded->object;
}

void Kubelet::note(const Pod& pod, const node::ClaimResult& outcome) {
  busy_.erase(pod.uid);
  if (outcome || !context_.timeline.is_kept()) return;
  context_.timeline.note(name_, fmt::format("{}: {}", pod.key(), outcome.error()));
}

Task<> Kubelet::start_pod(Pod pod) {
  const api::ObjectPtr<api::Pod> object = read(pod);
  const node::ClaimResult prepared =
      object == nullptr ? std::unexpected("it is gone") : co_await claims_->prepare(object);
  note(pod, prepared);
  const Pod* left = context_.cluster.find_pod(pod.uid);
  if (!prepared || left == nullptr || left->is_being_deleted || left->has_ended()) co_return;
  started_.insert(pod.uid);
  if (left->phase != "Pending") co_return;
  context_.send("kubelet", "PATCH", pods_in(pod.ns) + "/" + pod.name + "/status",
                R"({"status":{"phase":"Running"}})");
}

// Its claims are unprepared before its end is reported.
Task<> Kubelet::end_pod(Pod pod) {
  started_.erase(pod.uid);
  const api::ObjectPtr<api::Pod> object = read(pod);
  const node::ClaimResult unprepared =
      object == nullptr ? std::unexpected("it is gone") : co_await claims_->unprepare(object);
  note(pod, unprepared);
  const Pod* left = context_.cluster.find_pod(pod.uid);
  if (!unprepared || left == nullptr) co_return;
  if (left->is_being_deleted) {
    context_.send("kubelet", "DELETE", pods_in(pod.ns) + "/" + pod.name,
                  delete_only(pod.uid, R"(,"gracePeriodSeconds":0)"));
  } else if (!left->has_ended()) {
    context_.send("kubelet", "PATCH", pods_in(pod.ns) + "/" + pod.name + "/status",
                  R"({"status":{"phase":"Succeeded"}})");
  }
}

// ---- what must hold -----------------------------------------------------------------------------

std::optional<Breach> Kubelet::check() {
  if (breach_) return breach_;
  if (auto breach = check_bounds()) return breach;
  std::set<std::string> entries;
  for (const auto& [key, held] : claims_->book()) entries.insert(held.entry.uid);
  for (const std::string& uid : driver_.prepared()) {
    if (!entries.contains(uid)) return Breach{"no prepared claim is forgotten", name_ + ": " + uid};
  }
  for (const std::string& pod : started_) {
    for (const api::NamespacedName& key : node::claims_of_pod(claims_->book(), pod)) {
      if (driver_.prepared().contains(claims_->book().at(key).entry.uid)) continue;
      // The claim of a former pod group, which is gone: an attempt before the last one has entered
      // it.
      if (context_.cluster.claim(key.str()) == nullptr) continue;
      return Breach{"what a running pod uses is prepared", fmt::format("{}: {}", pod, key.name)};
    }
  }
  std::map<std::string, runtime::MonoTime> since;
  for (const std::string& what : overdue()) {
    const auto known = overdue_since_.find(what);
    since[what] = known == overdue_since_.end() ? now() : known->second;
    if (now() - std::max(since[what], trouble_until_) > kSoon) {
      return Breach{"a node ends what it has begun", fmt::format("{}: {}", name_, what)};
    }
  }
  overdue_since_ = std::move(since);
  return std::nullopt;
}

// An allocation has at most 32 results.
std::optional<Breach> Kubelet::check_bounds() const {
  constexpr std::size_t kDevicesMax = 1'000;
  constexpr std::size_t kBytesMax = 256 * 1024;
  for (const auto& [key, held] : claims_->book()) {
    for (const auto& [driver, state] : held.entry.drivers) {
      std::size_t bytes = 0;
      for (const auto& device : state.devices) {
        for (const std::string& id : device.cdi_ids) bytes += id.size();
      }
      if (state.devices.size() <= kDevicesMax && bytes <= kBytesMax) continue;
      return Breach{"what a node keeps of an answer is bounded", name_ + ": " + key.name};
    }
  }
  return std::nullopt;
}

// Pods that could run, pods that could be gone, and claims without pods.
std::set<std::string> Kubelet::overdue() const {
  std::set<std::string> found;
  for (const auto& [key, pod] : context_.cluster.pods) {
    if (pod.node != name_ || pod.has_ended() || started_.contains(pod.uid)) continue;
    if (pod.is_being_deleted || may_start(pod)) found.insert("pod " + key + " " + pod.uid);
  }
  for (const auto& [key, held] : claims_->book()) {
    const bool is_used = std::ranges::any_of(
        held.entry.pod_uids, [this](const std::string& pod) { return is_active(pod); });
    if (!is_used) found.insert("claim " + held.entry.uid);
  }
  return found;
}

}  // namespace dcm::simulation
