#include "test/simulation/faults.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace dcm::simulation {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, kFaultKinds> kNames = {
    "cut connections", "cut one manager", "lose requests",  "lose answers",  "cut answers",
    "delay requests",  "refuse",          "slow network",   "stall watches", "cut watches",
    "compact",         "lose bookmarks",  "restart server", "kill manager",  "stop manager"};

constexpr std::array<std::string_view, 6> kResources = {
    "*", "pods", "resourceclaims", "resourceclaimtemplates", "resourceslices", "devicetaintrules"};
constexpr std::array<int, 4> kRefusals = {429, 500, 503, 504};

runtime::Duration draw(runtime::Rng& rng, runtime::Duration least, runtime::Duration most) {
  const auto room = static_cast<std::uint64_t>((most - least).count());
  return least + runtime::Duration(static_cast<std::int64_t>(rng.below(room)));
}

Fault draw_fault(runtime::Rng& rng, Fault::Kind kind, runtime::Duration until) {
  Fault fault{.kind = kind, .lasts = draw(rng, 1s, 60s)};
  fault.at = draw(rng, 5s, until - fault.lasts);
  fault.share = 0.05 + rng.unit() * (rng.below(4) == 0 ? 0.9 : 0.3);
  fault.choice = rng.next() & 0xffff;
  return fault;
}

}  // namespace

std::string resource_of(const Fault& fault) {
  return std::string(kResources[fault.choice % kResources.size()]);
}

int refusal_of(const Fault& fault) {
  return kRefusals[fault.choice % kRefusals.size()];
}

std::string Fault::str() const {
  const auto seconds = [](runtime::Duration duration) {
    return std::chrono::duration<double>(duration).count();
  };
  return fmt::format("{} at {:.1f} s for {:.1f} s, share {:.2f}, choice {}",
                     kNames[static_cast<std::size_t>(kind)], seconds(at), seconds(lasts), share,
                     choice);
}

std::vector<Fault> draw_faults(runtime::Rng rng, runtime::Duration until) {
  // A few kinds are likely in a world, so that it is not the same mixture each time.
  std::array<double, kFaultKinds> weights{};
  double sum = 0;
  for (double& weight : weights) {
    weight = 0.05 + (rng.below(3) == 0 ? rng.unit() : 0);
    sum += weight;
  }
  std::vector<Fault> faults(5 + rng.below(12));
  for (Fault& fault : faults) {
    double left = rng.unit() * sum;
    std::size_t kind = 0;
    while (kind + 1 < kFaultKinds && left >= weights[kind]) left -= weights[kind++];
    fault = draw_fault(rng, static_cast<Fault::Kind>(kind), until);
  }
  std::ranges::sort(faults, {},
                    [](const Fault& fault) { return std::pair(fault.at, fault.choice); });
  return faults;
}

}  // namespace dcm::simulation
