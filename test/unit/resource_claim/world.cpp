#include "test/unit/resource_claim/world.hpp"

#include <sstream>

namespace dcm::resource_claim {

void RecordedEvents::report(const api::ObjectReference& about, api::EventType /*type*/,
                            std::string_view /*component*/, std::string_view reason,
                            std::string_view message) {
  texts.push_back(about.key.name + ": " + std::string(reason) + ": " + std::string(message));
  subjects.push_back(about);
}

World::Process::Process(World& world)
    : pod_writer(pods.take_writer()),
      claim_writer(claims.take_writer()),
      template_writer(templates.take_writer()),
      group_writer(groups.take_writer()),
      stores(declare_stores(pods, claims, templates,
                            world.gates.generic_workload ? &groups : nullptr)),
      foreign({.pods = pods.reader(),
               .claims = claims.reader(),
               .time = world.loop.time(),
               .metrics = metrics,
               .events = world.events,
               .log = world.logger(),
               .groups = common::group_claims(world.gates),
               .policy = world.foreign_claims,
               .lease = api::NamespacedName{"kube-system", "the-lease"}}),
      expectations({.time = world.loop.time(),
                    .metrics = metrics,
                    .log = world.logger(),
                    .is_watching = [&world] { return world.is_watching; }},
                   "resourceclaim-controller", ShadowApi::kWrites, std::chrono::seconds(30)),
      shadow_events(expectations),
      shadow(world.api, stores, world.gates, expectations),
      controller({.stores = stores,
                  .api = world.role == Role::writes ? static_cast<ClaimApi&>(world.api) : shadow,
                  .events = world.role == Role::writes ? static_cast<api::EventSink&>(world.events)
                                                       : shadow_events,
                  .foreign = foreign,
                  .time = world.loop.time(),
                  .metrics = metrics,
                  .log = world.logger()},
                 {.workers = world.workers, .gates = world.gates}),
      group(world.loop.executor()) {
  controller.observe(pods, claims, templates);
  if (world.gates.generic_workload) controller.observe_groups(groups);
  controller.use_groups("scheduling.k8s.io/v1beta1");
  pods.add_observer(foreign);
  claims.add_observer(foreign);
}

namespace {

template <class T>
void deliver_to(informers::StoreWriter<T>& writer, const api::ChangeEvent<T>& change) {
  api::Decoded<T> seen = change.subject;
  // Like the decoders: a pod without claims has no object.
  if constexpr (std::is_same_v<T, api::Pod>) {
    if (!seen.object->is_of_interest()) seen.object = nullptr;
  }
  writer.observe_change(change.type, std::move(seen));
}

template <class T, class Objects>
void sync_store(informers::StoreWriter<T>& writer, const Objects& objects,
                const api::ResourceVersion& version) {
  writer.begin_relist();
  for (const auto& [name, object] : objects) {
    api::Decoded<T> seen{object->meta, object};
    if constexpr (std::is_same_v<T, api::Pod>) {
      if (!object->is_of_interest()) seen.object = nullptr;
    }
    writer.observe_listed(std::move(seen));
  }
  writer.end_relist(version);
}

}  // namespace

void World::Process::deliver(const test::FakeClaimApi::Change& change) {
  if (const auto* pod = std::get_if<api::ChangeEvent<api::Pod>>(&change)) {
    deliver_to(pod_writer, *pod);
  } else if (const auto* claim = std::get_if<api::ChangeEvent<api::ResourceClaim>>(&change)) {
    deliver_to(claim_writer, *claim);
  } else if (const auto* pod_group = std::get_if<api::ChangeEvent<api::PodGroup>>(&change)) {
    deliver_to(group_writer, *pod_group);
  } else {
    deliver_to(template_writer, std::get<api::ChangeEvent<api::ResourceClaimTemplate>>(change));
  }
}

void World::Process::sync(const World& world) {
  sync_store(pod_writer, world.api.pods(), world.api.version());
  sync_store(claim_writer, world.api.claims(), world.api.version());
  sync_store(template_writer, world.api.templates(), world.api.version());
  sync_store(group_writer, world.api.groups(), world.api.version());
}

void World::list_claims() {
  sync_store(process_->claim_writer, api.claims(), api.version());
}

World::World() {
  api.on_change = [this](const test::FakeClaimApi::Change& change) {
    if (is_held(change)) {
      held_.push_back(change);
    } else if (process_) {
      process_->deliver(change);
    }
  };
}

bool World::is_held(const test::FakeClaimApi::Change& change) const {
  if (held_kinds_ == Held::everything) return true;
  if (std::holds_alternative<api::ChangeEvent<api::Pod>>(change)) {
    return held_kinds_ == Held::pods;
  }
  if (std::holds_alternative<api::ChangeEvent<api::PodGroup>>(change)) {
    return held_kinds_ == Held::groups;
  }
  return held_kinds_ == Held::claims &&
         std::holds_alternative<api::ChangeEvent<api::ResourceClaim>>(change);
}

World::~World() {
  if (process_) kill();
}

void World::start_standby() {
  held_.clear();
  process_ = std::make_unique<Process>(*this);
  process_->sync(*this);
}

void World::activate() {
  process_->group.spawn("controller", process_->controller.run());
  if (role == Role::writes) process_->foreign.activate();
  if (role == Role::dry_run) process_->group.spawn("looks", process_->expectations.run());
}

void World::kill() {
  process_->group.cancel();
  loop.run(process_->group.join());
  process_ = nullptr;
}

void World::stop() {
  process_->controller.stop();
  loop.run(process_->group.join());
  process_ = nullptr;
}

void World::release_watch() {
  held_kinds_ = Held::nothing;
  for (; !held_.empty(); held_.pop_front()) process_->deliver(held_.front());
}

std::vector<std::string> World::calls() {
  std::vector<std::string> fresh(api.calls.begin() + static_cast<std::ptrdiff_t>(calls_told_),
                                 api.calls.end());
  calls_told_ = api.calls.size();
  return fresh;
}

std::string World::describe() const {
  std::ostringstream text;
  for (const auto& [name, group] : api.groups()) {
    text << "group " << name;
    for (const api::PodClaimStatus& status : group->claim_statuses) {
      text << " " << status.name.str() << "=" << status.claim_name.value_or("-").view();
    }
    text << "\n";
  }
  for (const auto& [name, pod] : api.pods()) {
    text << "pod " << name;
    for (const api::PodClaimStatus& status : pod->claim_statuses) {
      text << " " << status.name.str() << "=" << status.claim_name.value_or("-").view();
    }
    text << "\n";
  }
  for (const auto& [name, claim] : api.claims()) {
    text << "claim " << name << (claim->is_allocated ? " allocated" : "")
         << (claim->meta.is_being_deleted ? " being deleted" : "")
         // An idle finalizer may be left after a crash.
         << (claim->has_delete_protection && claim->is_allocated ? " protected" : "");
    for (const api::ConsumerReference& consumer : claim->reserved_for) {
      text << " reserved for " << consumer.name.view();
    }
    text << "\n";
  }
  return text.str();
}

double World::metric(const std::string& line) {
  std::istringstream lines(process_->metrics.expose());
  for (std::string text; std::getline(lines, text);) {
    if (text.starts_with(line + " ")) return std::stod(text.substr(line.size() + 1));
  }
  return -1;
}

runtime::Logger World::logger() {
  auto backend = std::make_shared<runtime::LogBackend>(
      loop.time(), runtime::LogFormat::text,
      [this](runtime::Severity, std::string_view line) { log.emplace_back(line); });
  backend->set_verbosity(2);
  return runtime::Logger(std::move(backend));
}

}  // namespace dcm::resource_claim
