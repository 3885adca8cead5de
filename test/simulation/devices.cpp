#include "test/simulation/devices.hpp"

#include <cmath>

#include <fmt/format.h>

#include "test/simulation/weighted_draw.hpp"

namespace dcm::simulation {
namespace {

using runtime::Task;

constexpr std::array<const char*, 3> kEffects = {"NoExecute", "NoSchedule", "None"};

}  // namespace

Devices::Devices(ActorContext context, runtime::Rng rng, std::size_t devices_per_pool)
    : Actor(context, rng), devices_per_pool_(devices_per_pool) {
  for (double& weight : weights_) weight = std::pow(rng_.unit(), 3);
  pause_ = 8 + 60 * std::pow(rng_.unit(), 2);
}

void Devices::set_up() {
  for (std::size_t pool = 0; pool < kPools; ++pool) publish(pool);
}

Task<> Devices::run() {
  while (!context_.is_over()) {
    co_await pause(pause_);
    if (context_.is_over()) break;
    act(static_cast<Act>(draw_by_weight(rng_, weights_)));
  }
}

void Devices::act_once() {
  act(static_cast<Act>(rng_.below(kActs)));
}

void Devices::act(Act what) {
  switch (what) {
    case Act::taint_device:
      return taint_device(rng_.below(kPools));
    case Act::heal_device:
      return heal_device(rng_.below(kPools));
    case Act::renew_pool:
      return renew_pool(rng_.below(kPools));
    case Act::retire_slices:
      return retire_slices();
    case Act::add_rule:
      return add_rule();
    case Act::change_rule:
      if (const Rule* rule = any_of(context_.cluster.rules)) change_rule(Rule(*rule));
      return;
    case Act::delete_rule:
      if (const Rule* rule = any_of(context_.cluster.rules)) {
        context_.send("admin", "DELETE", kRules + "/" + rule->name, "");
      }
      return;
  }
}

void Devices::publish(std::size_t number) {
  const Pool& pool = pools_[number];
  std::string devices;
  for (std::size_t i = 0; i < devices_per_pool_; ++i) {
    const std::string device = fmt::format("dev-{}", i);
    const auto taint = pool.taints.find(device);
    devices += fmt::format(R"({}{{"name":"{}"{}}})", i == 0 ? "" : ",", device,
                           taint == pool.taints.end() ? "" : taint->second);
  }
  const std::string name = fmt::format("slice-{}-{}", number, pool.generation);
  const std::string spec =
      fmt::format(R"({{"driver":"{}","allNodes":true,"pool":{{"name":"pool-{}","generation":{},)"
                  R"("resourceSliceCount":1}},"devices":[{}]}})",
                  kDriver, number, pool.generation, devices);
  if (context_.cluster.slices.contains(name)) {
    context_.send("driver", "PATCH", kSlices + "/" + name, R"({"spec":)" + spec + "}");
  } else {
    context_.send("driver", "POST", kSlices, fmt::format(R"({{{},"spec":{}}})", meta(name), spec));
  }
}

void Devices::retire_slices() {
  for (Pool& pool : pools_) {
    for (const std::string& slice : pool.old_slices) {
      context_.send("driver", "DELETE", kSlices + "/" + slice, "");
    }
    pool.old_slices.clear();
  }
}

// The new generation comes first, and differs; old slices are deleted when the driver gets to it.
void Devices::renew_pool(std::size_t number) {
  Pool& pool = pools_[number];
  pool.old_slices.insert(fmt::format("slice-{}-{}", number, pool.generation++));
  if (chance(0.5)) return taint_device(number);
  heal_device(number);
}

void Devices::taint_device(std::size_t number) {
  const std::string device = some_device(number);
  pools_[number].taints[device] =
      fmt::format(R"(,"taints":[{{"key":"{}","effect":"{}"}}])", chance(0.5) ? "burnt" : "hot",
                  chance(0.8) ? "NoExecute" : "NoSchedule");
  publish(number);
}

void Devices::heal_device(std::size_t number) {
  Pool& pool = pools_[number];
  if (!pool.taints.empty()) pool.taints.erase(pool.taints.begin());
  publish(number);
}

// Returns a device, preferably one in use.
std::string Devices::some_device(std::size_t number) {
  const Claim* claim = chance(0.6) ? any_of(context_.cluster.claims) : nullptr;
  const bool is_used = claim != nullptr && !claim->devices.empty() &&
                       claim->devices.front().pool == fmt::format("pool-{}", number);
  if (is_used) return claim->devices.front().device;
  return fmt::format("dev-{}", rng_.below(1 + rng_.below(devices_per_pool_)));
}

void Devices::add_rule() {
  std::string selector = R"("driver":"gpu.example.com")";
  if (!chance(0.05)) selector += fmt::format(R"(,"pool":"pool-{}")", rng_.below(kPools));
  if (!chance(0.3)) selector += fmt::format(R"(,"device":"dev-{}")", rng_.below(6));
  context_.send("admin", "POST", kRules,
                fmt::format(R"({{{},"spec":{{"deviceSelector":{{{}}},"taint":{{"key":"hot",)"
                            R"("effect":"{}"}}}}}})",
                            meta(fmt::format("rule-{}", next_rule_++)), selector,
                            kEffects[chance(0.6) ? 0 : rng_.below(3)]));
}

void Devices::act_everywhere() {
  for (const auto& [name, rule] : std::map(context_.cluster.rules)) change_rule(rule);
  for (std::size_t pool = 0; pool < kPools; ++pool) taint_device(pool);
}

void Devices::change_rule(const Rule& rule) {
  const auto change = [&]() -> std::string {
    switch (rng_.below(4)) {
      case 0:
        return fmt::format(R"("taint":{{"key":"{}"}})", chance(0.5) ? "burnt" : "hot");
      case 1:
        return fmt::format(R"("deviceSelector":{{"device":"dev-{}"}})", rng_.below(6));
      default:
        return fmt::format(R"("taint":{{"effect":"{}"}})",
                           kEffects[chance(0.4) ? 0 : rng_.below(3)]);
    }
  }();
  context_.send("admin", "PATCH", kRules + "/" + rule.name, R"({"spec":{)" + change + "}}");
}

}  // namespace dcm::simulation
