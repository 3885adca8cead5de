// A driver's answer is limited when it is read, before any of it is stored.
#include "node/plugins/messages.hpp"

#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

namespace dcm::node {
namespace {

// An answer for one claim, with these parts of a NodePrepareResourceResponse.
std::string answer_for(const std::string& uid, const std::string& response) {
  std::string message;
  protozero::pbf_writer writer(message);
  protozero::pbf_writer pair(writer, 1);
  pair.add_string(1, uid);
  pair.add_message(2, response);
  return message;
}

std::string devices(std::size_t count, const std::string& cdi_id = {}) {
  std::string response;
  for (std::size_t i = 0; i < count; ++i) {
    std::string device;
    if (!cdi_id.empty()) protozero::pbf_writer(device).add_string(4, cdi_id);
    protozero::pbf_writer(response).add_message(1, device);
  }
  return response;
}

std::string error(const std::string& text) {
  std::string response;
  protozero::pbf_writer(response).add_string(2, text);
  return response;
}

TEST(DecodePrepareAnswer, accepts_several_times_the_largest_allocation) {
  const auto answers = decode_prepare_answer(answer_for("u", devices(128, "example.com/gpu=0")));
  ASSERT_TRUE(answers);
  EXPECT_EQ(answers->at("u").error, "");
  EXPECT_EQ(answers->at("u").devices.size(), 128U);
}

TEST(DecodePrepareAnswer, rejects_claim_with_oversized_answer) {
  struct Row {
    const char* sentence;
    std::string response;
    const char* error;
  };
  const Row rows[] = {
      {"one device too many", devices(129), "the driver's answer has 129 devices"},
      {"an empty device in every two bytes", devices(120'000),
       "the driver's answer has 120000 devi"},
      {"2.6 MB of them", devices(1'300'000), "the driver's answer has 2600000 bytes"},
      {"one device with a long ID", devices(1, std::string(300'000, 'x')),
       "the driver's answer has"},
      {"an ID that grows in the checkpoint", devices(1, std::string(100'000, '<')),
       "the driver's answer takes 700"},
  };
  for (const Row& row : rows) {
    const auto answers =
        decode_prepare_answer(answer_for("u", row.response) + answer_for("v", devices(1)));
    ASSERT_TRUE(answers) << row.sentence;
    EXPECT_TRUE(answers->at("u").error.starts_with(row.error)) << answers->at("u").error;
    EXPECT_TRUE(answers->at("u").devices.empty()) << row.sentence;
    EXPECT_EQ(answers->at("v").devices.size(), 1U) << row.sentence << ": other claims go on";
  }
}

TEST(DecodePrepareAnswer, bounds_texts_and_number_of_claims) {
  const auto long_error = decode_prepare_answer(answer_for("u", error(std::string(300'000, 'e'))));
  ASSERT_TRUE(long_error);
  EXPECT_EQ(long_error->at("u").error.size(), kHealthMessageBytesMax);
  std::string many;
  for (int i = 0; i < 5000; ++i) many += answer_for(std::to_string(i), "");
  const auto answers = decode_prepare_answer(many + answer_for(std::string(100'000, 'u'), ""));
  ASSERT_TRUE(answers);
  EXPECT_LE(answers->size(), kAnsweredClaimsMax + 1);
  EXPECT_LE(
      decode_unprepare_answer(answer_for(std::string(100'000, 'u'), ""))->begin()->first.size(),
      kHealthMessageBytesMax);
}

// In each text of an answer.
TEST(DecodePrepareAnswer, fails_on_text_that_is_not_utf8) {
  const std::string bad = "gpu-\xff";
  EXPECT_TRUE(decode_prepare_answer(answer_for("u", devices(1, "gpu-\u00e9"))));
  EXPECT_FALSE(decode_prepare_answer(answer_for(bad, devices(1))));
  EXPECT_FALSE(decode_prepare_answer(answer_for("u", error(bad))));
  EXPECT_FALSE(decode_unprepare_answer(answer_for("u", "\x0a\x01\xff")));
  for (const protozero::pbf_tag_type field : {1U, 2U, 3U, 4U, 5U}) {
    std::string device;
    protozero::pbf_writer(device).add_string(field, bad);
    std::string response;
    protozero::pbf_writer(response).add_message(1, device);
    EXPECT_FALSE(decode_prepare_answer(answer_for("u", response))) << field;
  }
}

TEST(DecodePluginInfo, fails_on_text_that_is_not_utf8) {
  for (const protozero::pbf_tag_type field : {1U, 2U, 3U, 4U}) {
    std::string message;
    protozero::pbf_writer(message).add_string(field, "\xc3");
    EXPECT_FALSE(decode_plugin_info(message)) << field;
  }
}

TEST(DecodeHealthReport, fails_on_text_that_is_not_utf8) {
  std::string row;
  protozero::pbf_writer(row).add_string(5, "hot \xfe");
  std::string message;
  protozero::pbf_writer(message).add_message(1, row);
  EXPECT_FALSE(decode_health_report(message));
}

TEST(DecodeHealthReport, keeps_only_rows_that_a_pod_can_request) {
  std::string row;
  {
    protozero::pbf_writer writer(row);
    protozero::pbf_writer device(writer, 1);
    device.add_string(1, "pool");
    device.add_string(2, std::string(64, 'd'));
  }
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_message(1, row);
  for (int i = 0; i < 100'000; ++i) writer.add_message(1, std::string());
  const auto report = decode_health_report(message);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->size(), 2 * kHealthDevicesMax);
  EXPECT_EQ(report->front().device, "");
}

}  // namespace
}  // namespace dcm::node
