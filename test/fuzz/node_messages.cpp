// What plugins answer, whatever it is: read or refused, and small enough where it is kept.
#include "node/plugins/messages.hpp"
#include "node/plugins/services.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

// A device costs at least two bytes of its message, so an answer makes no more of them.
void check_answers(std::string_view input) {
  const auto answers = node::decode_prepare_answer(input);
  if (!answers) return;
  std::size_t devices = 0;
  for (const auto& [uid, answer] : *answers) devices += answer.devices.size();
  expect(devices + answers->size() <= input.size(), "more devices than bytes");
  node::judge_answers("NodePrepareResources", {{"ns", "c", "uid"}}, *answers);
}

}  // namespace

void run(std::string_view input) {
  check_answers(input);
  if (const auto answers = node::decode_unprepare_answer(input)) {
    node::judge_answers("NodeUnprepareResources", {{"ns", "c", "uid"}}, *answers);
  }
  if (const auto info = node::decode_plugin_info(input)) {
    node::is_driver_name(info->name);
    for (const auto choice : {node::ServiceChoice::first_named, node::ServiceChoice::newest}) {
      const auto services = node::choose_services(*info, choice);
      expect(services || !services.error().empty(), "a refusal says nothing");
    }
  }
}

}  // namespace dcm::fuzz
