#include "cmd/dra-playground/parts.hpp"

#include "runtime/task_group.hpp"

namespace dcm::playground {
namespace {

std::vector<std::string> node_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t node = 0; node < count; ++node) names.push_back("node-" + std::to_string(node));
  return names;
}

}  // namespace

Parts::Parts(PartContext context, client::RestClient& rest, const Size& size,
             OwnScheduler own_scheduler, OwnGc own_gc)
    : context_(std::move(context)),
      own_scheduler_(own_scheduler),
      own_gc_(own_gc),
      api_(rest),
      caches_(rest, {context_.time, context_.rng, context_.log, context_.metrics}),
      drivers_(context_, api_,
               {.drivers = size.drivers,
                .nodes = node_names(size.nodes),
                .devices_per_node = size.devices}),
      nodes_(context_, api_, caches_, node_names(size.nodes)),
      heartbeats_(context_, api_, caches_, node_names(size.nodes)),
      scheduler_(context_, api_, caches_),
      gc_(context_, api_, caches_),
      namespace_gc_(context_, api_, caches_) {}

Task<Result<>> Parts::publish() {
  Result<> published = co_await nodes_.publish();
  if (published) published = co_await drivers_.publish();
  co_return published;
}

Task<> Parts::run() {
  runtime::TaskGroup group(context_.executor);
  group.spawn("caches", caches_.run(context_.executor));
  group.spawn("work", work());
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
