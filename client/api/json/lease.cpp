#include "client/api/lease.hpp"

#include <algorithm>
#include <limits>

#include "client/api/json/document.hpp"
#include "client/api/json/metadata.hpp"

namespace dcm::api {
namespace {

using json::Reader;
using json::value;

bool read_duration(Reader& reader, value from, std::optional<std::chrono::seconds>& duration) {
  std::int64_t seconds = 0;
  if (!reader.integer(from, seconds)) return false;
  constexpr std::int64_t kMost =
      std::numeric_limits<std::int32_t>::max();  // required type of the API
  if (seconds > 0) duration = std::chrono::seconds(std::min(seconds, kMost));
  return true;
}

bool read_spec(Reader& reader, value from, LeaseSpec& spec) {
  return reader.each_field(from, [&](std::string_view key, value field) {
    if (key == "holderIdentity") return reader.text(field, spec.holder);
    if (key == "leaseDurationSeconds") return read_duration(reader, field, spec.duration);
    if (key == "acquireTime") return reader.text(field, spec.acquire_time);
    if (key == "renewTime") return reader.text(field, spec.renew_time);
    if (key == "leaseTransitions") return reader.integer(field, spec.transitions);
    return true;
  });
}

}  // namespace

runtime::Result<Lease> decode_lease(std::string_view body) {
  json::Document document(body);
  Reader& reader = document.reader();
  Lease lease;
  const bool is_read = document.each_field([&](std::string_view key, value field) {
    if (key == "metadata") return json::read_metadata(reader, field, lease.meta);
    if (key == "spec") return read_spec(reader, field, lease.spec);
    return true;
  }) && json::check_identity(reader, lease.meta);
  if (!is_read) return runtime::fail(reader.error());
  return lease;
}

}  // namespace dcm::api
