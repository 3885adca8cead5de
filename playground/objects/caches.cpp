#include "playground/objects/caches.hpp"

#include "allocation/json/decode.hpp"
#include "controllers/api/decoders.hpp"
#include "runtime/task_group.hpp"

namespace dcm::playground {
namespace {

constexpr Duration kRulesTimeout = std::chrono::seconds(2);

}  // namespace

Caches::Caches(client::RestClient& rest, const informers::InformerContext& context)
    : pods(rest, playground::pods(), make_pod_decoder(), context),
      claims(rest, playground::claims(), make_claim_decoder(), context),
      device_classes(rest, playground::device_classes(), allocation::make_device_class_decoder(),
                     context),
      slices(rest, playground::slices(), allocation::make_slice_decoder(), context),
      nodes(rest, playground::nodes(), make_node_decoder(), context),
      namespaces(rest, playground::namespaces(), make_namespace_decoder(), context),
      rules(rest, playground::taint_rules(), api::make_json_rule_decoder(), context) {}

Task<> Caches::run(runtime::Executor executor) {
  runtime::TaskGroup group(executor);
  group.spawn("pods", pods.informer.run());
  group.spawn("claims", claims.informer.run());
  group.spawn("device classes", device_classes.informer.run());
  group.spawn("slices", slices.informer.run());
  group.spawn("nodes", nodes.informer.run());
  group.spawn("namespaces", namespaces.informer.run());
  group.spawn("taint rules", rules.informer.run());
  co_await group.join();
}

Task<> Caches::wait_for_sync(const runtime::TimeSource& time) {
  co_await informers::wait_for_sync(
      {&pods.informer.sync(), &claims.informer.sync(), &device_classes.informer.sync(),
       &slices.informer.sync(), &nodes.informer.sync(), &namespaces.informer.sync()},
      {});
  co_await informers::wait_for_sync({&rules.informer.sync()},
                                    runtime::Deadline::after(time, kRulesTimeout));
}

}  // namespace dcm::playground
