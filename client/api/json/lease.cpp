#include "client/api/lease.hpp"

#include <algorithm>
#include <limits>

#include "client/api/json/decoder.hpp"
#include "client/api/json/document.hpp"

namespace dcm::api {
namespace {

void set_duration(std::int64_t seconds, Lease& lease) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();  // of the API's type
  if (seconds > 0) lease.spec.duration = std::chrono::seconds(std::min(seconds, kMost));
}

template <class M>
constexpr auto of_spec(M LeaseSpec::* member) {
  return at(&Lease::spec, member);
}

constexpr auto kLease =
    rows(row<"metadata">(metadata()),
         row<"spec">(rows(row<"holderIdentity">(of_spec(&LeaseSpec::holder)),
                          row<"leaseDurationSeconds">(one<std::int64_t>(set_duration)),
                          row<"acquireTime">(of_spec(&LeaseSpec::acquire_time)),
                          row<"renewTime">(of_spec(&LeaseSpec::renew_time)),
                          row<"leaseTransitions">(of_spec(&LeaseSpec::transitions)))));

}  // namespace

runtime::Result<Lease> decode_lease(std::string_view body) {
  json::Document document(body);
  json::Reader& reader = document.reader();
  Lease lease;
  const bool is_read = document.each_field([&](std::string_view key, json::value field) {
    return read_field(kLease, key, json::Source(reader, field), lease);
  }) && json::check_identity(reader, lease.meta);
  if (!is_read) return runtime::fail(reader.error());
  return lease;
}

}  // namespace dcm::api
