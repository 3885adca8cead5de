#include <fmt/format.h>

#include "node/checkpoint/codec.hpp"
#include "node/checkpoint/crc32.hpp"
#include "node/checkpoint/go_json.hpp"

namespace dcm::node {
namespace {

void append_key(std::string& out, std::string_view key) {
  append_go_string(out, key);
  out += ':';
}

void append_text(std::string& out, std::string_view key, std::string_view value) {
  append_key(out, key);
  append_go_string(out, value);
}

// Calls `append(out, item)` for each, separated by commas.
template <class Items, class Append>
void append_each(std::string& out, const Items& items, Append&& append) {
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first) out += ',';
    is_first = false;
    append(out, item);
  }
}

// Go writes a nil slice as null.
void append_texts(std::string& out, std::string_view key, const std::vector<std::string>& texts) {
  append_key(out, key);
  if (texts.empty()) {
    out += "null";
    return;
  }
  out += '[';
  append_each(out, texts, append_go_string);
  out += ']';
}

void append_device(std::string& out, const PreparedDevice& device) {
  out += '{';
  append_text(out, "PoolName", device.pool);
  out += ',';
  append_text(out, "DeviceName", device.device);
  out += ',';
  append_key(out, "ShareID");
  if (device.share_id) {
    append_go_string(out, *device.share_id);
  } else {
    out += "null";
  }
  out += ',';
  append_texts(out, "RequestNames", device.requests);
  out += ',';
  append_texts(out, "CDIDeviceIDs", device.cdi_ids);
  out += '}';
}

void append_driver(std::string& out, const std::pair<const std::string, DriverState>& driver) {
  append_key(out, driver.first);
  out += '{';
  append_key(out, "Devices");
  if (driver.second.devices.empty()) {
    out += "null";
  } else {
    out += '[';
    append_each(out, driver.second.devices, append_device);
    out += ']';
  }
  if (!driver.second.skip_operations.empty()) {
    out += ',';
    append_texts(out, "skipNodeOperations", driver.second.skip_operations);
  }
  out += '}';
}

void append_device_key(std::string& out, const DeviceKey& key) {
  out += '{';
  append_text(out, "driver", key.driver);
  out += ',';
  append_text(out, "pool", key.pool);
  out += ',';
  append_text(out, "device", key.device);
  if (!key.share_id.empty()) {
    out += ',';
    append_text(out, "shareID", key.share_id);
  }
  if (key.is_admin) out += R"(,"admin":true)";
  out += '}';
}

void append_extra(std::string& out, const EntryExtra& extra) {
  out += R"(,"dcm":{"allocation":[)";
  append_each(out, extra.allocation, append_device_key);
  out += "]}";
}

void append_entry(std::string& out, const Entry& entry) {
  out += '{';
  append_text(out, "ClaimUID", entry.uid);
  out += ',';
  append_text(out, "ClaimName", entry.name);
  out += ',';
  append_text(out, "Namespace", entry.namespace_);
  out += R"(,"PodUIDs":{)";
  append_each(out, entry.pod_uids, [](std::string& to, const std::string& uid) {
    append_key(to, uid);
    to += "{}";
  });
  out += R"(},"DriverState":{)";
  append_each(out, entry.drivers, append_driver);
  out += '}';
  if (entry.extra) append_extra(out, *entry.extra);
  out += '}';
}

}  // namespace

std::string encode_checkpoint(const std::vector<Entry>& entries, NoEntries no_entries) {
  std::string data = R"({"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v1",)"
                     R"("ClaimInfoStateList":)";
  if (entries.empty() && no_entries == NoEntries::null) {
    data += "null}";
  } else {
    data += '[';
    append_each(data, entries, append_entry);
    data += "]}";
  }
  std::string file = "{";
  append_text(file, "Data", data);
  file += fmt::format(R"(,"Checksum":{}}})", crc32(data));
  return file;
}

}  // namespace dcm::node
