// Small answers of the API server and of credential plugins: refusals, discovery, a lease, an exec
// credential. Nothing crashes, and messages are printable.
#include <array>

#include "client/api/lease.hpp"
#include "client/api/status.hpp"
#include "client/auth/exec_plugin.hpp"
#include "client/discovery/discovery_documents.hpp"
#include "runtime/base64.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

constexpr std::array<std::uint16_t, 10> kStatuses = {400, 403, 404, 409, 410,
                                                     422, 429, 500, 504, 599};

void read_status(std::string_view body) {
  for (const std::uint16_t status : kStatuses) {
    const runtime::Error error = api::decode_status_error(status, body);
    expect_readable(error.message);
    expect(error.message.size() <= api::kStatusMessageBytesMax, "a refusal is short",
           error.message);
    expect(error.http_status == status, "a refusal keeps its status");
    expect(!error.retry_after || *error.retry_after >= runtime::Duration::zero(),
           "nobody waits for less than no time");
  }
}

template <class T>
void expect_value_or_message(const runtime::Result<T>& result) {
  if (!result) expect_readable(result.error().message);
}

}  // namespace

void run(std::string_view input) {
  read_status(input);
  expect_value_or_message(api::decode_lease(input));
  expect_value_or_message(client::decode_group_versions(input));
  expect_value_or_message(client::decode_resource_names(input));
  for (const std::string_view version : {client::kExecV1, client::kExecV1Beta1}) {
    expect_value_or_message(client::decode_exec_credential(input, version));
  }
  runtime::decode_base64(input);
}

}  // namespace dcm::fuzz
