#include "playground/objects/objects.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace dcm::playground {
namespace {

constexpr std::array<std::string_view, 1> kVersions = {"v1"};

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

}  // namespace dcm::playground
