#include "controllers/resource_claim/rules/generate_name.hpp"

#include <fmt/format.h>

namespace dcm::resource_claim {
namespace {

// The API server would cut at 58 itself, but only the end: pod claims of a pod with a long name
// could not be told apart any more.
constexpr std::size_t kBaseLengthMax = 57;

std::string_view cut_pod_name(std::string_view pod, std::size_t length) {
  const std::size_t last = pod.substr(0, length).find_last_not_of('.');
  return pod.substr(0, last == std::string_view::npos ? 1 : last + 1);
}

}  // namespace

std::string generate_name(std::string_view pod, std::string_view pod_claim) {
  const std::size_t uncut = pod.size() + pod_claim.size() + 2;
  if (uncut <= kBaseLengthMax) return fmt::format("{}-{}-", pod, pod_claim);
  return fmt::format("{}-{}", cut_pod_name(pod, pod.size() * kBaseLengthMax / uncut),
                     pod_claim.substr(0, pod_claim.size() * kBaseLengthMax / uncut));
}

}  // namespace dcm::resource_claim
