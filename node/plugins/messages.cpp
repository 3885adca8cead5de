#include "node/plugins/messages.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <simdjson.h>

#include "node/checkpoint/codec.hpp"

namespace dcm::node {
namespace {

using protozero::pbf_reader;

constexpr auto kBytes = protozero::pbf_wire_type::length_delimited;
// More than are kept, to detect that there are more.
constexpr std::size_t kHealthRowsMax = 2 * kHealthDevicesMax;

constexpr auto kNumber = protozero::pbf_wire_type::varint;

// Calls `on_field(number, reader)` for length-delimited fields; our messages have no others.
template <class OnField>
void each_field(pbf_reader reader, OnField&& on_field) {
  while (reader.next()) {
    if (reader.wire_type() == kBytes) {
      on_field(reader.tag(), reader.get_view());
    } else {
      reader.skip();
    }
  }
}

struct NotUtf8 : protozero::exception {
  const char* what() const noexcept override { return "string field contains invalid UTF-8"; }
};

// A string of proto3 is UTF-8. The API server refuses objects with other strings, so that each
// retry would fail.
void check_utf8(protozero::data_view view) {
  if (!simdjson::validate_utf8(view.data(), view.size())) throw NotUtf8();
}

std::string text(protozero::data_view view) {
  check_utf8(view);
  return {view.data(), view.size()};
}

PreparedDevice read_device(protozero::data_view message) {
  PreparedDevice device;
  each_field(pbf_reader(message), [&](auto number, protozero::data_view value) {
    if (number == 1) device.requests.push_back(text(value));
    if (number == 2) device.pool = text(value);
    if (number == 3) device.device = text(value);
    if (number == 4) device.cdi_ids.push_back(text(value));
    if (number == 5) device.share_id = text(value);
  });
  return device;
}

std::string cut_text(protozero::data_view view) {
  check_utf8(view);
  // One byte more, to detect truncation.
  return cut_message({view.data(), std::min(view.size(), kHealthMessageBytesMax + 1)});
}

ClaimAnswer read_prepared(protozero::data_view message) {
  ClaimAnswer answer;
  const bool is_too_large = message.size() > kClaimAnswerBytesMax;
  std::size_t devices = 0;
  each_field(pbf_reader(message), [&](auto number, protozero::data_view value) {
    if (number == 1 && ++devices <= kAnsweredDevicesMax && !is_too_large) {
      answer.devices.push_back(read_device(value));
    }
    if (number == 2) answer.error = cut_text(value);
  });
  if (!answer.error.empty()) return {.error = std::move(answer.error)};
  if (is_too_large) {
    return {.error = fmt::format("the driver's answer has {} bytes; at most {} are taken",
                                 message.size(), kClaimAnswerBytesMax)};
  }
  if (devices > kAnsweredDevicesMax) {
    return {.error = fmt::format("the driver's answer has {} devices; at most {} are taken",
                                 devices, kAnsweredDevicesMax)};
  }
  // In the checkpoint, a character may take seven bytes.
  Entry entry;
  entry.drivers[""].devices = answer.devices;
  const std::size_t stored = encode_checkpoint({std::move(entry)}).size();
  if (stored > kClaimAnswerBytesMax) {
    return {.error = fmt::format(
                "the driver's answer takes {} bytes in the checkpoint; at most {} are taken",
                stored, kClaimAnswerBytesMax)};
  }
  return answer;
}

ClaimAnswer read_unprepared(protozero::data_view message) {
  ClaimAnswer answer;
  each_field(pbf_reader(message), [&](auto number, protozero::data_view value) {
    if (number == 1) answer.error = cut_text(value);
  });
  return answer;
}

// A map is a list of pairs. An omitted answer is an empty one: success without devices.
Answers read_answers(std::string_view message, ClaimAnswer (*read)(protozero::data_view)) {
  Answers answers;
  each_field(pbf_reader(message.data(), message.size()), [&](auto number, auto pair) {
    if (number != 1 || answers.size() > kAnsweredClaimsMax) return;
    std::string uid;
    ClaimAnswer answer;
    each_field(pbf_reader(pair), [&](auto part, protozero::data_view value) {
      if (part == 1) uid = cut_text(value);
      if (part == 2) answer = read(value);
    });
    answers[std::move(uid)] = std::move(answer);
  });
  return answers;
}

// A number from the plugin. A number beyond the range of a duration is clamped.
runtime::Duration seconds(std::int64_t count) {
  constexpr std::int64_t kMax = std::int64_t{1} << 32;
  return std::chrono::seconds(std::clamp(count, std::int64_t{0}, kMax));
}

Health health_of(std::int32_t number) {
  if (number == 1) return Health::healthy;
  if (number == 2) return Health::unhealthy;
  return Health::unknown;
}

HealthReport read_health(protozero::data_view message) {
  HealthReport row;
  for (pbf_reader reader(message); reader.next();) {
    if (reader.tag_and_type() == protozero::tag_and_type(1, kBytes)) {
      each_field(reader.get_message(), [&](auto number, protozero::data_view value) {
        if (number == 1) row.pool = text(value);
        if (number == 2) row.device = text(value);
      });
    } else if (reader.tag_and_type() == protozero::tag_and_type(2, kNumber)) {
      row.state.health = health_of(reader.get_int32());
    } else if (reader.tag_and_type() == protozero::tag_and_type(4, kNumber)) {
      row.timeout = seconds(reader.get_int64());
    } else if (reader.tag_and_type() == protozero::tag_and_type(5, kBytes)) {
      row.state.message = cut_text(reader.get_view());
    } else {
      reader.skip();
    }
  }
  return row;
}

// Names beyond the API's limits belong to no device that a pod can have.
bool is_name_of_device(const HealthReport& row) {
  constexpr std::size_t kPoolBytesMax = 253;
  constexpr std::size_t kDeviceBytesMax = 63;
  return row.pool.size() <= kPoolBytesMax && row.device.size() <= kDeviceBytesMax;
}

std::optional<Answers> decode_answers(std::string_view message,
                                      ClaimAnswer (*read)(protozero::data_view)) {
  try {
    return read_answers(message, read);
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<PluginInfo> decode_plugin_info(std::string_view message) {
  try {
    PluginInfo info;
    each_field(pbf_reader(message.data(), message.size()), [&](auto number, auto value) {
      if (number == 1) info.type = text(value);
      if (number == 2) info.name = text(value);
      if (number == 3) info.endpoint = text(value);
      if (number == 4 && info.services.size() < kServicesMax) info.services.push_back(text(value));
    });
    return info;
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

std::optional<Answers> decode_prepare_answer(std::string_view message) {
  return decode_answers(message, read_prepared);
}

std::optional<Answers> decode_unprepare_answer(std::string_view message) {
  return decode_answers(message, read_unprepared);
}

std::optional<std::vector<HealthReport>> decode_health_report(std::string_view message) {
  try {
    std::vector<HealthReport> report;
    each_field(pbf_reader(message.data(), message.size()), [&](auto number, auto row) {
      if (number != 1 || report.size() == kHealthRowsMax) return;
      HealthReport read = read_health(row);
      if (is_name_of_device(read)) report.push_back(std::move(read));
    });
    return report;
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

std::string encode_registration_status(std::string_view error) {
  std::string message;
  protozero::pbf_writer writer(message);
  if (error.empty()) {
    writer.add_bool(1, true);
  } else {
    writer.add_string(2, error.data(), error.size());
  }
  return message;
}

std::string encode_claims(const std::vector<ClaimRef>& claims) {
  std::string message;
  protozero::pbf_writer writer(message);
  for (const ClaimRef& claim : claims) {
    protozero::pbf_writer one(writer, 1);
    one.add_string(1, claim.namespace_);
    one.add_string(2, claim.uid);
    one.add_string(3, claim.name);
  }
  return message;
}

}  // namespace dcm::node
