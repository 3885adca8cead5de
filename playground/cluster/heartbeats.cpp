#include "playground/cluster/heartbeats.hpp"

#include "playground/cluster/pod_addresses.hpp"
#include "playground/objects/bodies.hpp"

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLeaseInterval = 10s;
constexpr int kRoundsToStatus = 30;  // 5 minutes
// Nodes that share a tick: a thousand nodes wake the process ten times a second, not a hundred.
constexpr std::size_t kAtATime = 10;

}  // namespace

Heartbeats::Heartbeats(Process process, Api& api, Cache<Node>& known,
                       std::vector<std::string> nodes, std::vector<std::string> declared_features)
    : process_(std::move(process)),
      api_(api),
      known_(known),
      nodes_(std::move(nodes)),
      features_(std::move(declared_features)) {}

Task<> Heartbeats::run() {
  for (;; ++round_) co_await beat_once();
}

Task<> Heartbeats::beat_once() {
  const runtime::MonoTime began = process_.loop.time().now();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    co_await beat(nodes_[i]);
    if ((i + 1) % kAtATime != 0) continue;
    const auto share = kLeaseInterval * static_cast<Duration::rep>(i + 1) /
                       static_cast<Duration::rep>(nodes_.size());
    co_await runtime::sleep_until(process_.loop.time(), began + share);
  }
  co_await runtime::sleep_until(process_.loop.time(), began + kLeaseInterval);
}

// A failed write is retried in the next round: a Lease lives for four rounds.
Task<> Heartbeats::beat(std::string name) {
  const api::ObjectPtr<Node> node = known_.get({{}, name});
  if (!node || node->meta.is_being_deleted) co_return;
  const runtime::WallTime now = process_.loop.time().wall_now();
  Result<http::Response> answer = co_await api_.apply(leases(), {"kube-node-lease", name}, {},
                                                      encode_node_lease(name, node->meta.uid, now));
  const bool is_status_due = round_ % kRoundsToStatus == kRoundsToStatus - 1 || !node->is_ready;
  if (answer && is_status_due) {
    answer = co_await api_.apply(nodes(), node->meta.key, "status",
                                 encode_node_status(name, now,
                                                    {.address = address_of_node(name),
                                                     .declared_features = features_,
                                                     .since = node->ready_since}));
  }
  if (answer) co_return;
  process_.log.warning("Cannot renew node",
                       {{"node", name}, {"error", runtime::to_string(answer.error())}});
}

}  // namespace dcm::playground
