#include "node/driver_kit/messages.hpp"

#include <chrono>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "runtime/one_line.hpp"

namespace dcm::driver_kit {
namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;

constexpr auto kBytes = protozero::pbf_wire_type::length_delimited;

// For texts that a driver may have from anywhere: nodes refuse a message with a string that is not
// UTF-8.
void add_text(pbf_writer& message, protozero::pbf_tag_type field, const std::string& text) {
  message.add_string(field, runtime::valid_utf8(text));
}

void add_device(pbf_writer& answer, const node::PreparedDevice& device) {
  pbf_writer message(answer, 1);
  for (const std::string& request : device.requests) message.add_string(1, request);
  message.add_string(2, device.pool);
  message.add_string(3, device.device);
  for (const std::string& id : device.cdi_ids) message.add_string(4, id);
  if (device.share_id) message.add_string(5, *device.share_id);
}

// A map is a list of pairs. `add(answer, writer)` writes the method's own fields.
template <class Add>
std::string encode_answers(const node::Answers& answers, Add&& add) {
  std::string message;
  pbf_writer writer(message);
  for (const auto& [uid, answer] : answers) {
    pbf_writer pair(writer, 1);
    pair.add_string(1, uid);
    pbf_writer value(pair, 2);
    add(answer, value);
  }
  return message;
}

node::ClaimRef read_claim(pbf_reader reader) {
  node::ClaimRef claim;
  while (reader.next()) {
    if (reader.wire_type() != kBytes) {
      reader.skip();
      continue;
    }
    const auto number = reader.tag();
    const std::string value = reader.get_string();
    // A string of proto3 is UTF-8, and the answer repeats the UID.
    if (number <= 3 && runtime::valid_utf8(value) != value) throw protozero::exception();
    if (number == 1) claim.namespace_ = value;
    if (number == 2) claim.uid = value;
    if (number == 3) claim.name = value;
  }
  return claim;
}

}  // namespace

std::string encode_plugin_info(const node::PluginInfo& info) {
  std::string message;
  pbf_writer writer(message);
  writer.add_string(1, info.type);
  writer.add_string(2, info.name);
  writer.add_string(3, info.endpoint);
  for (const std::string& service : info.services) writer.add_string(4, service);
  return message;
}

std::string encode_prepared(const node::Answers& answers) {
  return encode_answers(answers, [](const node::ClaimAnswer& answer, pbf_writer& value) {
    for (const node::PreparedDevice& device : answer.devices) add_device(value, device);
    if (!answer.error.empty()) add_text(value, 2, answer.error);
  });
}

std::string encode_unprepared(const node::Answers& answers) {
  return encode_answers(answers, [](const node::ClaimAnswer& answer, pbf_writer& value) {
    if (!answer.error.empty()) add_text(value, 1, answer.error);
  });
}

std::string encode_health(const std::vector<node::HealthReport>& devices) {
  std::string message;
  pbf_writer writer(message);
  for (const node::HealthReport& report : devices) {
    pbf_writer row(writer, 1);
    {
      pbf_writer device(row, 1);
      device.add_string(1, report.pool);
      device.add_string(2, report.device);
    }
    row.add_enum(2, static_cast<std::int32_t>(report.state.health));
    row.add_int64(4, std::chrono::ceil<std::chrono::seconds>(report.timeout).count());  // 0: 30 s
    add_text(row, 5, report.state.message);
  }
  return message;
}

std::optional<RegistrationStatus> decode_registration_status(std::string_view message) {
  try {
    RegistrationStatus status;
    pbf_reader reader(message.data(), message.size());
    while (reader.next()) {
      if (reader.tag() == 1 && reader.wire_type() == protozero::pbf_wire_type::varint) {
        // Not get_bool(), which reads past the end of a truncated message.
        status.is_registered = reader.get_uint64() != 0;
      } else if (reader.tag() == 2 && reader.wire_type() == kBytes) {
        status.error = reader.get_string();
      } else {
        reader.skip();
      }
    }
    return status;
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

std::optional<std::vector<node::ClaimRef>> decode_claims(std::string_view message) {
  try {
    std::vector<node::ClaimRef> claims;
    pbf_reader reader(message.data(), message.size());
    while (reader.next()) {
      if (reader.tag() == 1 && reader.wire_type() == kBytes) {
        claims.push_back(read_claim(reader.get_message()));
      } else {
        reader.skip();
      }
    }
    return claims;
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

}  // namespace dcm::driver_kit
