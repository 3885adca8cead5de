// Arbitrary answers of plugins and requests of nodes: they are read or rejected, and are small
// where they are stored.
#include "node/driver_kit/driver.hpp"
#include "node/driver_kit/messages.hpp"
#include "node/plugins/messages.hpp"
#include "node/plugins/services.hpp"
#include "runtime/dns_names.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

// A device takes at least two bytes of its message, so an answer cannot contain more.
void check_answers(std::string_view input) {
  const auto answers = node::decode_prepare_answer(input);
  if (!answers) return;
  std::size_t devices = 0;
  for (const auto& [uid, answer] : *answers) devices += answer.devices.size();
  expect(devices + answers->size() <= input.size(), "more devices than bytes");
  node::judge_answers("NodePrepareResources", {{"ns", "c", "uid"}}, *answers);
}

// A driver reads a node's request as the node writes it.
void check_claims(std::string_view input) {
  const auto claims = driver_kit::decode_claims(input);
  if (!claims) return;
  expect(claims->size() <= input.size(), "more claims than bytes");
  expect(driver_kit::decode_claims(node::encode_claims(*claims)) == claims, "claims are not kept");
}

}  // namespace

void run(std::string_view input) {
  check_answers(input);
  check_claims(input);
  driver_kit::decode_registration_status(input);
  (void)driver_kit::read_claim({"ns", "c", "uid"}, "gpu.example.com", std::string(input));
  if (const auto answers = node::decode_unprepare_answer(input)) {
    node::judge_answers("NodeUnprepareResources", {{"ns", "c", "uid"}}, *answers);
  }
  if (const auto info = node::decode_plugin_info(input)) {
    runtime::is_driver_name(info->name);
    for (const auto choice : {node::ServiceChoice::first_named, node::ServiceChoice::newest}) {
      const auto services = node::choose_services(*info, choice);
      expect(services || !services.error().empty(), "a refusal says nothing");
    }
  }
}

}  // namespace dcm::fuzz
