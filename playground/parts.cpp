#include "playground/parts.hpp"

#include "manager/reconciler.hpp"

namespace dcm::playground {
namespace {

// The names of `count` nodes starting at `first`.
std::vector<std::string> node_names(std::size_t first, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t node = first; node < count; ++node) {
    names.push_back("node-" + std::to_string(node));
  }
  return names;
}

RealDevicesOptions real_options(const std::string& folder) {
  return {.agent = agent_options(std::string(kNodeOfRealDrivers), folder),
          .prepare_retry = PrepareRetry::backoff,
          .show_devices = folder + "/devices",
          .pod_resources = folder + "/pod-resources/kubelet.sock"};
}

}  // namespace

Parts::Parts(Process process, client::RestClient& rest, const Size& size,
             OwnScheduler own_scheduler, OwnGc own_gc, const std::string& real_drivers)
    : process_(std::move(process)),
      own_scheduler_(own_scheduler),
      own_gc_(own_gc),
      real_folder_(real_drivers),
      api_(rest),
      caches_(rest, process_),
      drivers_(process_, api_,
               {.drivers = size.drivers,
                .nodes = node_names(real_drivers.empty() ? 0 : 1, size.nodes),
                .devices_per_node = size.devices}),
      nodes_(process_, api_, caches_.pods, {.names = node_names(0, size.nodes)},
             [this](const api::InternedString& node) -> PodDevices& { return devices_of(node); }),
      heartbeats_(process_, api_, caches_.nodes, node_names(0, size.nodes)),
      pretended_(caches_, [this](const api::NamespacedName& pod) { nodes_.wake(pod); }),
      scheduler_(process_, api_, caches_),
      gc_(process_, api_, caches_),
      namespace_gc_(process_, api_, caches_) {
  if (real_drivers.empty()) return;
  real_ =
      std::make_unique<RealDevices>(process_, api_, rest, caches_.pods, real_options(real_drivers),
                                    [this](const api::NamespacedName& pod) { nodes_.wake(pod); });
}

PodDevices& Parts::devices_of(const api::InternedString& node) {
  if (real_ && node == kNodeOfRealDrivers) return *real_;
  return pretended_;
}

Task<Result<>> Parts::publish() {
  Result<> published;
  if (real_) published = make_folders(real_options(real_folder_));
  if (real_ && published) published = real_->open();
  if (published) published = co_await nodes_.publish();
  if (published) published = co_await drivers_.publish();
  co_return published;
}

void Parts::fill(manager::Epoch& epoch) {
  caches_.add_to(epoch);
  const auto add = [&](const char* name, manager::JobFunction run) {
    epoch.add({.name = name, .caches = caches_.awaited(), .run = std::move(run)});
  };
  add("hollow nodes", [this] { return nodes_.run(); });
  add("heartbeats", [this] { return heartbeats_.run(); });
  if (own_scheduler_ == OwnScheduler::runs) add("scheduler", [this] { return schedule(); });
  if (own_gc_ == OwnGc::runs) add("garbage collector", [this] { return gc_.run(); });
  add("namespace collector", [this] { return namespace_gc_.run(); });
  if (real_) epoch.add({.name = "real drivers", .run = [this] { return real_->run(); }});
}

Task<> Parts::schedule() {
  co_await caches_.wait_for_rules(process_.loop.time());
  co_await scheduler_.run();
}

}  // namespace dcm::playground
