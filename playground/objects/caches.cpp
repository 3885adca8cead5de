#include "playground/objects/caches.hpp"

#include "allocation/json/decode.hpp"
#include "controllers/api/decoders.hpp"

namespace dcm::playground {
namespace {

constexpr Duration kRulesTimeout = std::chrono::seconds(2);

}  // namespace

Caches::Caches(client::RestClient& rest, const Process& process)
    : pods(rest, playground::pods(), make_pod_decoder(), process),
      claims(rest, playground::claims(), make_claim_decoder(), process),
      device_classes(rest, playground::device_classes(), allocation::make_device_class_decoder(),
                     process),
      slices(rest, playground::slices(), allocation::make_slice_decoder(), process),
      nodes(rest, playground::nodes(), make_node_decoder(), process),
      namespaces(rest, playground::namespaces(), make_namespace_decoder(), process),
      rules(rest, playground::taint_rules(), api::make_json_rule_decoder(), process) {}

void Caches::add_to(manager::Epoch& epoch) {
  const auto add = [&epoch](auto&... caches) {
    (epoch.add_cache(manager::any_cache(caches)), ...);
  };
  add(pods, claims, device_classes, slices, nodes, namespaces, rules);
}

std::vector<informers::SyncState*> Caches::awaited() {
  return {&pods.sync(),   &claims.sync(), &device_classes.sync(),
          &slices.sync(), &nodes.sync(),  &namespaces.sync()};
}

Task<> Caches::wait_for_rules(const runtime::TimeSource& time) {
  co_await rules.sync().wait(runtime::Deadline::after(time, kRulesTimeout));
}

}  // namespace dcm::playground
