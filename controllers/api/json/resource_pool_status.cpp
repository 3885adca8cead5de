#include "controllers/api/resource_pool_status.hpp"

#include "client/api/json/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/json/parts.hpp"

namespace dcm::api {
namespace {

using json::Reader;
using json::value;
using Request = ResourcePoolStatusRequest;

bool read_limit(Reader& reader, value field, Request& request) {
  return json::is_null(field) || reader.integer(field, request.limit);
}

bool read_spec(Reader& reader, value spec, Request& request) {
  return reader.each_field(spec, [&](std::string_view key, value field) {
    if (key == "driver") return reader.text(field, request.driver);
    if (key == "poolName") return reader.text(field, request.pool);
    if (key == "limit") return read_limit(reader, field, request);
    if (key == "defaultPartitionTypeAttribute") {
      return reader.text(field, request.partition_attribute);
    }
    return true;
  });
}

bool read_condition(Reader& reader, value item, Request& request) {
  std::string_view type;
  std::optional<runtime::WallTime> since;
  const bool is_read = reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "type") return reader.view(field, type);
    return key != "lastTransitionTime" || json::read_time(reader, field, since);
  });
  const bool is_answer = type == kPoolStatusComplete || type == kPoolStatusFailed;
  if (is_read && is_answer && !request.answered) request.answered = since;
  return is_read;
}

bool read_status(Reader& reader, value status, Request& request) {
  if (json::is_null(status)) return true;
  request.has_status = true;
  return reader.each_field(status, [&](std::string_view key, value field) {
    if (key != "conditions") return true;
    return reader.each_item(field,
                            [&](value item) { return read_condition(reader, item, request); });
  });
}

struct PoolStatusRequestFields {
  static constexpr std::string_view kKind = "ResourcePoolStatusRequest";

  bool read_field(Reader& reader, std::string_view key, value field, Request& request) const {
    if (key == "metadata") return read_request_metadata(reader, field, request);
    if (key == "spec") return read_spec(reader, field, request);
    if (key == "status") return read_status(reader, field, request);
    return true;
  }
  bool is_kept(const Request&) const { return true; }

 private:
  static bool read_request_metadata(Reader& reader, value metadata, Request& request) {
    return json::read_metadata(
        reader, metadata, request.meta, [&](std::string_view key, value field) {
          return key != "creationTimestamp" || json::read_time(reader, field, request.created);
        });
  }
};

}  // namespace

std::unique_ptr<Decoder<ResourcePoolStatusRequest>> make_json_pool_status_request_decoder() {
  return std::make_unique<json::JsonDecoder<ResourcePoolStatusRequest, PoolStatusRequestFields>>();
}

}  // namespace dcm::api
