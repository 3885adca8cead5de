#include <cstdint>

#include <fmt/format.h>

#include "client/api/json/document.hpp"
#include "node/checkpoint/codec.hpp"
#include "node/checkpoint/crc32.hpp"

namespace dcm::node {
namespace {

using api::json::Document;
using api::json::Reader;
using api::json::value;
using runtime::fail;
using runtime::Reason;
using runtime::Result;

constexpr std::string_view kKind = "DRACheckpoint";
constexpr std::string_view kGroup = "checkpoint.dra.kubelet.k8s.io/";
constexpr std::string_view kVersion = "checkpoint.dra.kubelet.k8s.io/v1";

// Lists are read with each_object(), which does not count: whatever was written can be read.
bool read_texts(Reader& reader, value array, std::vector<std::string>& out) {
  return reader.each_object(array,
                            [&](value item) { return reader.text(item, out.emplace_back()); });
}

bool read_share_id(Reader& reader, value text, std::optional<std::string>& out) {
  return api::json::is_null(text) || reader.text(text, out.emplace());
}

bool read_device(Reader& reader, value object, PreparedDevice& out) {
  return reader.each_field(object, [&](std::string_view key, value field) {
    if (key == "PoolName") return reader.text(field, out.pool);
    if (key == "DeviceName") return reader.text(field, out.device);
    if (key == "ShareID") return read_share_id(reader, field, out.share_id);
    if (key == "RequestNames") return read_texts(reader, field, out.requests);
    if (key == "CDIDeviceIDs") return read_texts(reader, field, out.cdi_ids);
    return true;
  });
}

bool read_driver(Reader& reader, value object, DriverState& out) {
  return reader.each_field(object, [&](std::string_view key, value field) {
    if (key == "Devices") {
      return reader.each_object(
          field, [&](value item) { return read_device(reader, item, out.devices.emplace_back()); });
    }
    if (key == "skipNodeOperations") return read_texts(reader, field, out.skip_operations);
    return true;
  });
}

bool read_device_key(Reader& reader, value object, DeviceKey& out) {
  return reader.each_field(object, [&](std::string_view key, value field) {
    if (key == "driver") return reader.text(field, out.driver);
    if (key == "pool") return reader.text(field, out.pool);
    if (key == "device") return reader.text(field, out.device);
    if (key == "shareID") return reader.text(field, out.share_id);
    if (key == "admin") return reader.flag(field, out.is_admin);
    return true;
  });
}

bool read_allocation(Reader& reader, value array, std::set<DeviceKey>& out) {
  return reader.each_object(array, [&](value item) {
    DeviceKey key;
    if (!read_device_key(reader, item, key)) return false;
    out.insert(std::move(key));
    return true;
  });
}

bool read_extra(Reader& reader, value object, EntryExtra& out) {
  return reader.each_field(object, [&](std::string_view key, value field) {
    if (key == "allocation") return read_allocation(reader, field, out.allocation);
    return true;
  });
}

bool read_entry(Reader& reader, value object, Entry& out) {
  return reader.each_field(object, [&](std::string_view key, value field) {
    if (key == "ClaimUID") return reader.text(field, out.uid);
    if (key == "ClaimName") return reader.text(field, out.name);
    if (key == "Namespace") return reader.text(field, out.namespace_);
    if (key == "PodUIDs") {
      return reader.each_field(field, [&](std::string_view uid, value set_item) {
        out.pod_uids.emplace(uid);
        return reader.each_field(set_item, [](std::string_view, value) { return true; });
      });
    }
    if (key == "DriverState") {
      return reader.each_field(field, [&](std::string_view driver, value state) {
        return read_driver(reader, state, out.drivers[std::string(driver)]);
      });
    }
    if (key == "dcm") {
      return api::json::is_null(field) || read_extra(reader, field, out.extra.emplace());
    }
    return true;
  });
}

// v1alpha1 and v1beta1 count as older, v2alpha1 does not.
bool is_known_version(std::string_view api_version) {
  if (api_version.empty()) return true;
  if (!api_version.starts_with(kGroup)) return false;
  api_version.remove_prefix(kGroup.size());
  return api_version == "v1" || api_version.starts_with("v1alpha") ||
         api_version.starts_with("v1beta");
}

struct Data {
  std::string kind;
  std::string api_version;
  std::vector<Entry> entries;
};

Result<Data> read_data(std::string_view json) {
  Data data;
  Document document(json);
  Reader& reader = document.reader();
  const bool is_read = document.each_field([&](std::string_view key, value field) {
    if (key == "kind") return reader.text(field, data.kind);
    if (key == "apiVersion") return reader.text(field, data.api_version);
    if (key == "ClaimInfoStateList") {
      return reader.each_object(
          field, [&](value item) { return read_entry(reader, item, data.entries.emplace_back()); });
    }
    return true;
  });
  if (!is_read) return fail(reader.error());
  return data;
}

// The JSON string, whose checksum is correct.
Result<std::string> read_envelope(std::string_view file) {
  std::string data;
  std::int64_t checksum = -1;
  Document document(file);
  Reader& reader = document.reader();
  const bool is_read = document.each_field([&](std::string_view key, value field) {
    if (key == "Data") return reader.text(field, data);
    if (key == "Checksum") return reader.integer(field, checksum);
    return true;
  });
  if (!is_read)
    return fail(Reason::malformed, "checkpoint is corrupted: " + reader.error().message);
  if (crc32(data) != checksum) {
    return fail(Reason::malformed, "checkpoint is corrupted: the checksum is wrong");
  }
  return data;
}

}  // namespace

Result<std::vector<Entry>> decode_checkpoint(std::string_view file) {
  const Result<std::string> envelope = read_envelope(file);
  if (!envelope) return fail(envelope.error());
  Result<Data> data = read_data(*envelope);
  if (!data) return fail(Reason::malformed, "checkpoint is corrupted: " + data.error().message);
  if (!data->kind.empty() && data->kind != kKind) {
    return fail(Reason::malformed, fmt::format("it is a {:.64}, not a DRACheckpoint", data->kind));
  }
  if (!is_known_version(data->api_version)) {
    return fail(Reason::malformed,
                fmt::format("its apiVersion is {:.64}, not {}", data->api_version, kVersion));
  }
  return std::move(data->entries);
}

}  // namespace dcm::node
