#include "test/unit/device_taint_eviction/cluster.hpp"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

namespace dcm::device_taint_eviction {
namespace {

template <class T>
void sync_store(informers::StoreWriter<T>& writer, const FakeEvictionApi::Objects<T>& objects,
                api::ResourceVersion newest = api::ResourceVersion("1")) {
  writer.begin_relist();
  for (const auto& [name, object] : objects) {
    newest = std::max(newest, object->meta.resource_version);
    writer.observe_listed({object->meta, object});
  }
  writer.end_relist(newest);
}

bool is_for_condition(const std::string& call) {
  return call.contains(": ");
}

std::vector<std::string> only(std::vector<std::string> calls, bool for_conditions) {
  std::erase_if(calls, [&](const std::string& c) { return is_for_condition(c) != for_conditions; });
  return calls;
}

}  // namespace

void RecordedEvents::report(const api::ObjectReference& about, api::EventType /*type*/,
                            std::string_view component, std::string_view reason,
                            std::string_view message) {
  EXPECT_EQ(component, "device-taint-eviction-controller");
  EXPECT_EQ(reason, "DeviceTaintManagerEviction");
  texts.push_back(about.key.name + ": " + std::string(message));
}

Cluster::Process::Process(Cluster& cluster, Rules which)
    : pod_writer(pods.take_writer()),
      claim_writer(claims.take_writer()),
      slice_writer(slices.take_writer()),
      rule_writer(rules.take_writer()),
      expectations({.time = cluster.loop.time(),
                    .metrics = metrics,
                    .log = cluster.logger(),
                    .is_watching = [] { return true; }},
                   "device-taint-eviction-controller", ShadowApi::kWrites, 30s),
      shadow_events(expectations),
      shadow([this]() -> const Tracker& { return controller.tracker(); }, expectations),
      controller(
          {.lookup = StoreLookup(pods.reader(), claims.reader()),
           .api = cluster.role == Role::writes ? static_cast<EvictionApi&>(cluster.api) : shadow,
           .events = cluster.role == Role::writes ? static_cast<api::EventSink&>(cluster.events)
                                                  : shadow_events,
           .time = cluster.loop.time(),
           .rng = runtime::Rng(1),
           .metrics = metrics,
           .log = cluster.logger()},
          cluster.options_),
      group(cluster.loop.executor()) {
  controller.observe(pods, claims, slices);
  sync_store(slice_writer, cluster.api.slices);
  sync_store(pod_writer, cluster.api.pods);
  sync_store(claim_writer, cluster.api.claims);
  if (which != Rules::not_served) observe_rules(cluster, which);
}

void Cluster::Process::observe_rules(Cluster& cluster, Rules which) {
  has_rules = true;
  controller.observe_rules(rules,
                           which == Rules::served ? RuleStatus::served : RuleStatus::not_served);
  sync_store(rule_writer, cluster.api.rules);
}

void Cluster::Process::deliver(const FakeEvictionApi::Change& change) {
  if (const auto* pod = std::get_if<api::ChangeEvent<api::Pod>>(&change)) {
    pod_writer.observe_change(pod->type, pod->subject);
  } else if (const auto* claim = std::get_if<api::ChangeEvent<api::ResourceClaim>>(&change)) {
    claim_writer.observe_change(claim->type, claim->subject);
  } else if (const auto* slice = std::get_if<api::ChangeEvent<api::ResourceSlice>>(&change)) {
    slice_writer.observe_change(slice->type, slice->subject);
  } else if (has_rules) {
    const auto& rule = std::get<api::ChangeEvent<api::DeviceTaintRule>>(change);
    rule_writer.observe_change(rule.type, rule.subject);
  }
}

Cluster::Cluster(ControllerOptions options) : options_(options) {
  loop.time().step_wall(kStart - loop.time().wall_now());
  api.on_change = [this](const FakeEvictionApi::Change& change) {
    if (is_held_) {
      held_.push_back(change);
    } else if (process_) {
      process_->deliver(change);
    }
  };
}

Cluster::~Cluster() {
  if (process_) kill();
}

void Cluster::add_pod(const std::string& name, std::vector<api::DeviceToleration> tolerations) {
  api.put(claim_of(name).with_device("pool-" + name, "gpu-0", std::move(tolerations)));
  api.put(user_of_claim(name));
}

void Cluster::add_pods(const std::string& prefix, int count,
                       const std::vector<api::DeviceToleration>& tolerations) {
  for (int i = 0; i < count; ++i) add_pod(prefix + std::to_string(i), tolerations);
}

void Cluster::start_with_rule(runtime::Duration duration) {
  start();
  api.put(rule_for_all());
  run_for(duration);
}

void Cluster::start_standby(Rules rules) {
  held_.clear();
  process_ = std::make_unique<Process>(*this, rules);
}

void Cluster::activate() {
  process_->group.spawn("controller", process_->controller.run());
  if (role == Role::dry_run) process_->group.spawn("looks", process_->expectations.run());
}

void Cluster::kill() {
  process_->group.cancel();
  loop.run(process_->group.join());
  process_ = nullptr;
}

void Cluster::stop() {
  process_->controller.stop();
  loop.run(process_->group.join());
  process_ = nullptr;
}

void Cluster::release_watch() {
  is_held_ = false;
  for (; !held_.empty(); held_.pop_front()) process_->deliver(held_.front());
}

void Cluster::restore(FakeEvictionApi::Objects<api::Pod> backup) {
  is_held_ = false;
  held_.clear();
  const api::ResourceVersion revision = api.restore(std::move(backup));
  sync_store(process_->pod_writer, api.pods, revision);
}

std::vector<std::string> Cluster::calls() {
  std::vector<std::string> fresh(api.calls.begin() + static_cast<std::ptrdiff_t>(calls_told_),
                                 api.calls.end());
  calls_told_ = api.calls.size();
  return fresh;
}

std::vector<std::string> Cluster::pod_calls() {
  return only(calls(), false);
}

std::vector<std::string> Cluster::condition_calls() {
  return only(calls(), true);
}

double Cluster::metric(const std::string& line) {
  std::istringstream lines(process_->metrics.expose());
  for (std::string text; std::getline(lines, text);) {
    if (text.starts_with(line + " ")) return std::stod(text.substr(line.size() + 1));
  }
  return -1;
}

bool Cluster::logged(std::string_view text) const {
  return std::ranges::any_of(log, [&](const std::string& line) { return line.contains(text); });
}

bool Cluster::explains(const std::string& pod, std::string_view reason) const {
  const auto topics = controller().explain_pod(api.pods.at({test::kNamespace, pod}));
  return std::ranges::any_of(topics.front().findings,
                             [&](const common::Finding& each) { return each.reason == reason; });
}

std::string Cluster::condition(const std::string& rule) const {
  const auto found = api.rules.find({{}, rule});
  if (found == api.rules.end() || !found->second->condition) return "";
  return found->second->condition->reason + ": " + found->second->condition->message;
}

runtime::Logger Cluster::logger() {
  auto backend = std::make_shared<runtime::LogBackend>(
      loop.time(), runtime::LogFormat::text,
      [this](runtime::Severity, std::string_view line) { log.emplace_back(line); });
  backend->set_verbosity(2);
  return runtime::Logger(std::move(backend));
}

}  // namespace dcm::device_taint_eviction
