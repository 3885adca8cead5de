#include "controllers/resource_claim/rules/claim_name.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace dcm::resource_claim {
namespace {

// The API server would cut at 58 itself, but only the end: the pod claims of a pod with a long name
// could not be distinguished.
constexpr std::size_t kBaseLengthMax = 57;

// The alphabet of the API server's generated names: no vowels and no ambiguous characters.
constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t kSuffixLength = 5;

// FNV-1a, and MurmurHash3's finalizer to spread it. Must never change: claims are found by it.
constexpr std::uint64_t kEmptySum = 0xcbf29ce484222325;
std::uint64_t add(std::uint64_t sum, std::string_view text) {
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    sum *= 0x100000001b3;
  }
  return sum;
}
std::uint64_t spread(std::uint64_t sum) {
  sum ^= sum >> 33;
  sum *= 0xff51afd7ed558ccd;
  sum ^= sum >> 33;
  sum *= 0xc4ceb9fe1a85ec53;
  return sum ^ (sum >> 33);
}

std::string suffix(std::uint64_t number) {
  std::string text;
  for (std::size_t i = 0; i < kSuffixLength; ++i) {
    text += kAlphabet[number % kAlphabet.size()];
    number /= kAlphabet.size();
  }
  return text;
}

std::size_t uncut_length(std::string_view pod, std::string_view pod_claim) {
  return pod.size() + pod_claim.size() + 2;
}

std::string_view cut_pod_name(std::string_view pod, std::size_t length) {
  const std::size_t last = pod.substr(0, length).find_last_not_of('.');
  return pod.substr(0, last == std::string_view::npos ? 1 : last + 1);
}

}  // namespace

std::string generate_name(std::string_view pod, std::string_view pod_claim) {
  const std::size_t uncut = uncut_length(pod, pod_claim);
  if (uncut <= kBaseLengthMax) return fmt::format("{}-{}-", pod, pod_claim);
  return fmt::format("{}-{}", cut_pod_name(pod, pod.size() * kBaseLengthMax / uncut),
                     pod_claim.substr(0, pod_claim.size() * kBaseLengthMax / uncut));
}

std::string claim_name_base(std::string_view pod, std::string_view pod_claim) {
  const bool is_cut = uncut_length(pod, pod_claim) > kBaseLengthMax;
  return generate_name(pod, pod_claim) + (is_cut ? "-" : "");
}

namespace {

// The suffixes of a pod claim's claim names.
class Suffixes {
 public:
  Suffixes(const api::Uid& uid, std::string_view pod_claim)
      : sum_(add(add(add(add(kEmptySum, uid.str()), "/"), pod_claim), "/")) {}

  std::string of(unsigned number) const {
    return suffix(spread(add(sum_, std::to_string(number))));
  }

 private:
  std::uint64_t sum_;
};

}  // namespace

std::string claim_name(std::string_view pod, const api::Uid& uid, std::string_view pod_claim,
                       unsigned number) {
  return claim_name_base(pod, pod_claim) + Suffixes(uid, pod_claim).of(number);
}

std::array<std::string, kClaimNamesMax> claim_names(std::string_view pod, const api::Uid& uid,
                                                    std::string_view pod_claim) {
  const std::string base = claim_name_base(pod, pod_claim);
  const Suffixes suffixes(uid, pod_claim);
  std::array<std::string, kClaimNamesMax> names;
  for (unsigned number = 0; number < kClaimNamesMax; ++number) {
    names[number] = base + suffixes.of(number);
  }
  return names;
}

bool is_claim_name(std::string_view name, std::string_view pod, const api::Uid& uid,
                   std::string_view pod_claim) {
  const std::string base = claim_name_base(pod, pod_claim);
  if (!name.starts_with(base)) return false;
  const std::string_view end = name.substr(base.size());
  const Suffixes suffixes(uid, pod_claim);
  for (unsigned number = 0; number < kClaimNamesMax; ++number) {
    if (end == suffixes.of(number)) return true;
  }
  return false;
}

}  // namespace dcm::resource_claim
