#include "playground/objects/objects.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 1> kVersions = {"v1"};

struct Unit {
  std::string_view name;
  double nanoseconds;
};
// Longer names first, so that "ms" is not read as "m".
constexpr std::array<Unit, 6> kUnits = {{
    {"ns", 1},
    {"us", 1e3},
    {"ms", 1e6},
    {"s", 1e9},
    {"m", 60e9},
    {"h", 3600e9},
}};

constexpr double kNanosecondsMax = 9e18;

// Consumes "1.5h" from the front; nullopt if there is no such thing.
std::optional<double> take_part(std::string_view& text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !(number >= 0)) return std::nullopt;  // nor NaN
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : kUnits) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return number * unit.nanoseconds;
  }
  return std::nullopt;
}

}  // namespace

api::ObjectReference reference_to(const Pod& pod) {
  return {.api_version = "v1",
          .kind = "Pod",
          .key = pod.meta.key,
          .uid = pod.meta.uid,
          .resource_version = {}};
}

const PodCondition* find_condition(const Pod& pod, std::string_view type) {
  const auto found = std::ranges::find_if(
      pod.conditions, [&](const PodCondition& one) { return one.type == type; });
  return found == pod.conditions.end() ? nullptr : &*found;
}

std::vector<Container> long_lived_containers(const Pod& pod) {
  std::vector<Container> all;
  std::ranges::copy_if(pod.init_containers, std::back_inserter(all), &Container::is_sidecar);
  all.insert(all.end(), pod.containers.begin(), pod.containers.end());
  return all;
}

constinit const api::ResourceKind kNamespaces{.group = "",
                                              .plural = "namespaces",
                                              .kind = "Namespace",
                                              .scope = api::Scope::cluster,
                                              .versions = kVersions};

std::size_t footprint(const Node& node) {
  return sizeof(node);
}

std::size_t footprint(const Namespace& namespace_) {
  return sizeof(namespace_);
}

std::optional<Duration> parse_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text == "0") return Duration::zero();
  double sum = 0;
  while (!text.empty()) {
    const auto part = take_part(text);
    if (!part) return std::nullopt;
    sum += *part;
  }
  if (sum > kNanosecondsMax) return std::nullopt;
  return Duration(static_cast<Duration::rep>(sum));
}

}  // namespace dcm::playground
