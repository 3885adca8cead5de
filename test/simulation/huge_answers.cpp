#include "test/simulation/huge_answers.hpp"

#include <string>

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include "node/plugins/messages.hpp"

namespace dcm::simulation {
namespace {

using protozero::pbf_writer;

constexpr std::size_t kAnsweredDevices = 2'000;
constexpr std::size_t kBytes = 400'000;
constexpr std::size_t kClaims = 3'000;

void add_device(pbf_writer& claim, const std::string& name, const std::string& identifier) {
  pbf_writer device(claim, 1);
  device.add_string(2, "pool");
  device.add_string(3, name);
  device.add_string(4, identifier);
}

void add_claim(pbf_writer& answer, const std::string& uid, HugeAnswer what) {
  pbf_writer entry(answer, 1);
  entry.add_string(1, uid);
  pbf_writer claim(entry, 2);
  const std::size_t devices = what == HugeAnswer::devices ? kAnsweredDevices : 1;
  const std::string identifier(what == HugeAnswer::identifiers ? kBytes : 1, 'x');
  for (std::size_t i = 0; i < devices; ++i) {
    add_device(claim, fmt::format("dev-{}", i), "x/y=" + identifier);
  }
  if (what == HugeAnswer::error) claim.add_string(2, std::string(kBytes, 'x'));
}

}  // namespace

std::optional<node::Answers> huge_prepare_answer(const std::vector<node::ClaimRef>& claims,
                                                 HugeAnswer what) {
  std::string message;
  pbf_writer answer(message);
  for (const node::ClaimRef& claim : claims) add_claim(answer, claim.uid, what);
  if (what == HugeAnswer::unknown_claims) {
    for (std::size_t i = 0; i < kClaims; ++i) add_claim(answer, fmt::format("uid-{}", i), what);
  }
  return node::decode_prepare_answer(message);
}

}  // namespace dcm::simulation
