#include "playground/parts.hpp"

#include "runtime/task_group.hpp"

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

Parts::Parts(PartContext context, client::RestClient& rest, const Size& size,
             OwnScheduler own_scheduler, OwnGc own_gc, const std::string& real_drivers)
    : context_(std::move(context)),
      own_scheduler_(own_scheduler),
      own_gc_(own_gc),
      real_folder_(real_drivers),
      api_(rest),
      caches_(rest, {context_.time, context_.rng, context_.log, context_.metrics}),
      drivers_(context_, api_,
               {.drivers = size.drivers,
                .nodes = node_names(real_drivers.empty() ? 0 : 1, size.nodes),
                .devices_per_node = size.devices}),
      nodes_(context_, api_, caches_.pods, {.names = node_names(0, size.nodes)},
             [this](const api::InternedString& node) -> PodDevices& { return devices_of(node); }),
      heartbeats_(context_, api_, caches_.nodes, node_names(0, size.nodes)),
      pretended_(caches_, [this](const api::NamespacedName& pod) { nodes_.wake(pod); }),
      scheduler_(context_, api_, caches_),
      gc_(context_, api_, caches_),
      namespace_gc_(context_, api_, caches_) {
  if (real_drivers.empty()) return;
  real_ =
      std::make_unique<RealDevices>(context_, api_, rest, caches_.pods, real_options(real_drivers),
                                    [this](const api::NamespacedName& pod) { nodes_.wake(pod); });
}

PodDevices& Parts::devices_of(const api::InternedString& node) {
  if (real_ && node.str() == kNodeOfRealDrivers) return *real_;
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

Task<> Parts::run() {
  runtime::TaskGroup group(context_.executor);
  group.spawn("caches", caches_.run(context_.executor));
  group.spawn("work", work());
  if (real_) group.spawn("real drivers", real_->run());
  co_await group.join();
}

Task<> Parts::work() {
  co_await caches_.wait_for_sync(context_.time);
  runtime::TaskGroup group(context_.executor);
  group.spawn("hollow nodes", nodes_.run());
  group.spawn("heartbeats", heartbeats_.run());
  if (own_scheduler_ == OwnScheduler::runs) group.spawn("scheduler", scheduler_.run());
  if (own_gc_ == OwnGc::runs) group.spawn("garbage collector", gc_.run());
  group.spawn("namespace collector", namespace_gc_.run());
  co_await group.join();
}

}  // namespace dcm::playground
