#include "test/unit/leader_election/world.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dcm::leader_election {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;
using runtime::Task;

constexpr const char* kLeases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
constexpr const char* kName = "dra-controller-manager";

Duration scale(Duration duration, double by) {
  return Duration(static_cast<Duration::rep>(static_cast<double>(duration.count()) * by));
}

client::RestClientOptions rest_options(const std::string& name) {
  return {.server = {.security = http::Security::tls, .host = "api.test", .port = 6443},
          .user_agent = name};
}

}  // namespace

MonoTime LocalTime::now() const noexcept {
  return MonoTime(scale(world_.now().time_since_epoch(), rate_) + ahead_);
}

runtime::TimerId LocalTime::schedule(MonoTime when, std::function<void()> callback) {
  const bool is_far = when >= MonoTime(std::chrono::hours(24 * 365));
  const MonoTime due =
      is_far ? MonoTime::max() : MonoTime(scale(when.time_since_epoch() - ahead_, 1 / rate_) + 1ns);
  const runtime::TimerId id{when, sequence_++};
  const runtime::TimerId in_world = world_.schedule(due, [this, id] { run_due(id); });
  timers_.emplace(id, Timer{in_world, std::move(callback)});
  return id;
}

void LocalTime::cancel(runtime::TimerId id) noexcept {
  const auto timer = timers_.find(id);
  if (timer == timers_.end()) return;
  world_.cancel(timer->second.in_world);
  timers_.erase(timer);
}

void LocalTime::run_due(runtime::TimerId id) {
  const auto timer = timers_.find(id);
  if (timer == timers_.end()) return;
  timer->second.is_due = is_frozen_;
  if (!is_frozen_) timers_.extract(timer).mapped().callback();
}

void LocalTime::thaw() {
  is_frozen_ = false;
  std::vector<runtime::TimerId> held;
  for (const auto& [id, timer] : timers_) {
    if (timer.is_due) held.push_back(id);
  }
  for (const runtime::TimerId& id : held) run_due(id);
  thawed_.notify_all();
}

Task<> LocalTime::wait_until_thawed() {
  while (is_frozen_) co_await thawed_.wait();
}

Task<http::Result<http::Response>> Line::send(http::Request request, http::ExchangeLimits limits) {
  const Duration left = limits.deadline.left(time_);
  const bool is_in_time = state != State::silent && there + back < left;
  if (state == State::refused) co_return runtime::fail(Reason::unreachable, "refused");
  if (state != State::silent) co_await runtime::sleep_for(world_, std::min(there, left));
  http::Response response;
  if (state != State::silent && there < left) {
    const std::size_t query = std::min(request.target.find('?'), request.target.size());
    const apiserver::Response answer = server_.handle(
        {.method = std::string(http::to_string(request.method)),
         .path = request.target.substr(0, query),
         .query = request.target.substr(std::min(query + 1, request.target.size())),
         .headers = {{"Content-Type", "application/json"},
                     {"User-Agent", std::string(*request.headers.find("User-Agent"))}},
         .body = request.body});
    response = {.status = static_cast<std::uint16_t>(answer.status), .body = answer.body};
  }
  co_await runtime::sleep_for(world_, is_in_time ? back : limits.deadline.left(time_));
  co_await time_.wait_until_thawed();
  if (!is_in_time) co_return runtime::fail(Reason::deadline_exceeded, "no answer in time");
  if (state == State::adds_levels) {
    const std::string deep = std::string(1100, '[') + std::string(1100, ']');
    response.body.insert(1, R"("unknown":)" + deep + ",");
  }
  if (state == State::goes_back) {
    constexpr std::string_view kField = R"("resourceVersion":")";
    const std::size_t at = response.body.find(kField) + kField.size();
    response.body.replace(at, response.body.find('"', at) - at, "1");
  }
  if (state == State::loses_answers) co_return runtime::fail(Reason::disconnected, "reset");
  co_return response;
}

Task<http::Result<std::unique_ptr<http::StreamingResponse>>> Line::open(http::Request /*request*/,
                                                                        http::Deadline /*by*/) {
  co_return runtime::fail(Reason::unreachable, "no watches here");
}

Node::Node(World& world, std::string node_name, Timing timing, Clock clock)
    : world_(world),
      name(std::move(node_name)),
      time(world.loop.time(), clock.rate, clock.ahead),
      line(world.server, world.loop.time(), time),
      rest({line, credentials, gate, time, metrics}, rest_options(name), runtime::Rng(1), {}),
      fence(time),
      elector({rest, time, metrics, fence, *this}, {"kube-system", kName}, {name, timing},
              runtime::Rng(std::hash<std::string>{}(name)), {}) {}

Task<> Node::run() {
  runtime::TaskGroup group(world_.loop.executor());
  group.spawn("writes", write_all_the_time());
  co_await elector.run();
  has_ended = true;
  group.cancel();
  co_await group.join();
}

Task<> Node::write_all_the_time() {
  while (true) {
    if (!time.is_frozen() && fence.check())
      world_.writes.push_back({world_.loop.time().now(), this});
    co_await runtime::sleep_for(world_.loop.time(), 100ms);
  }
}

void Node::on_started_leading(const api::ObjectMeta& lease) {
  EXPECT_FALSE(has_begun) << name;
  EXPECT_EQ(lease.key.name, kName);
  has_begun = true;
}

void Node::on_lost(std::string_view why) {
  EXPECT_FALSE(lost) << name;
  EXPECT_FALSE(fence.check()) << name;
  lost = why;
}

World::World(runtime::VirtualLoop& virtual_loop)
    : loop(virtual_loop),
      server(loop.time(), runtime::Rng(1)),
      api(server),
      tasks(loop.executor()) {}

Node& World::add(Timing timing, Clock clock) {
  Node& node = nodes.emplace_back(*this, fmt::format("node-{}", nodes.size()), timing, clock);
  tasks.spawn(node.name, node.run());
  return node;
}

void World::stop() {
  for (Node& node : nodes) node.elector.stop();
  loop.run([](World& world) -> Task<> { co_await world.tasks.join(); }(*this));
}

LeaseSpec World::lease() {
  const auto answer = api.get(std::string(kLeases) + "/" + kName);
  const auto lease = api::decode_lease(apiserver::serialize(answer.body));
  return lease ? lease->spec : LeaseSpec{};
}

void World::edit_lease(const std::string& spec) {
  const auto answer =
      api.patch(std::string(kLeases) + "/" + kName, apiserver::kMerge, R"({"spec":)" + spec + "}");
  EXPECT_TRUE(answer.ok()) << apiserver::serialize(answer.body);
}

void World::delete_lease() {
  EXPECT_TRUE(api.remove(std::string(kLeases) + "/" + kName).ok());
}

Node* World::writer() {
  Node* found = nullptr;
  for (Node& node : nodes) {
    if (node.time.is_frozen() || !node.fence.check()) continue;
    EXPECT_EQ(found, nullptr) << "two may write";
    found = &node;
  }
  return found;
}

Duration World::longest_gap() const {
  Duration longest{};
  for (std::size_t i = 1; i < writes.size(); ++i) {
    if (writes[i].node == writes[i - 1].node) continue;
    longest = std::max(longest, writes[i].when - writes[i - 1].when);
  }
  return longest;
}

void World::expect_one_after_the_other() const {
  std::set<const Node*> earlier;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (i > 0 && writes[i].node != writes[i - 1].node) earlier.insert(writes[i - 1].node);
    ASSERT_FALSE(earlier.contains(writes[i].node))
        << writes[i].node->name << " writes after its successor did";
  }
}

}  // namespace dcm::leader_election
