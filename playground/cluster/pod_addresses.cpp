#include "playground/cluster/pod_addresses.hpp"

#include <fmt/format.h>

namespace dcm::playground {
namespace {

constexpr std::uint32_t kNodeNetwork = 198U << 24 | 18U << 16;
constexpr std::uint32_t kNodeHosts = 1U << 17;
constexpr std::uint32_t kPods = 100U << 24 | 64U << 16;
constexpr std::uint32_t kPodHosts = 1U << 22;

std::string dotted(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                     address & 255);
}

// FNV-1a: the same in each process.
std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

}  // namespace

std::string address_of_node(std::string_view name) {
  return dotted(kNodeNetwork + 1 + hash_of(name) % (kNodeHosts - 2));
}

const std::string& PodAddresses::address_of(const api::Uid& pod) {
  std::string& address = by_pod_[pod];
  while (address.empty()) {
    std::string free = dotted(kPods + next_);
    next_ = next_ % (kPodHosts - 2) + 1;
    if (taken_.insert(free).second) address = std::move(free);
  }
  return address;
}

void PodAddresses::observe(const api::Uid& pod, const std::string& address) {
  if (address.empty() || by_pod_.contains(pod) || !taken_.insert(address).second) return;
  by_pod_[pod] = address;
}

void PodAddresses::give_back(const api::Uid& pod) {
  const auto found = by_pod_.find(pod);
  if (found == by_pod_.end()) return;
  taken_.erase(found->second);
  by_pod_.erase(found);
}

}  // namespace dcm::playground
