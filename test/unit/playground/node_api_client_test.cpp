// The requests of a hollow node with real drivers, under the permissions of a kubelet.
#include "playground/cluster/node_api_client.hpp"

#include "apiserver/front/direct.hpp"
#include "playground/embedded_server.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::playground {
namespace {

constexpr const char* kNoPodYet =
    "User \\\"system:node:n\\\" cannot get resource: node: no relationship found between node 'n' "
    "and this object";

// Reads a claim that the API server refuses this many times; returns whether it was read, and the
// requests.
runtime::Task<std::pair<bool, int>> read_refused(runtime::VirtualLoop& loop, int refusals,
                                                 std::string message) {
  runtime::Rng rng(1);
  runtime::MetricsRegistry metrics;
  const Process process{loop, metrics, rng, {}};
  EmbeddedServer server(process);
  const auto connection = server.connect();
  runtime::TaskGroup group(loop.executor());
  group.spawn("server", server.run());
  apiserver::Direct(server.server())
      .post("/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
            R"({"metadata":{"name":"c"},"spec":{"devices":{}}})");
  int requests = 0;
  server.server().before(
      [&](const apiserver::LoggedRequest& request) -> std::optional<apiserver::Response> {
        if (request.resource != "resourceclaims" || ++requests > refusals) return std::nullopt;
        return apiserver::Response{
            403,
            {},
            R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403,)"
            R"("message":")" +
                message + "\"}"};
      });
  Api api(connection->rest());
  NodeApiClient client(api, loop.time());
  const Result<node::ClaimView> view = co_await client.get({"default", "c"});
  group.cancel();
  co_await group.join();
  co_return std::pair(view.has_value(), requests);
}

CO_TEST(NodeApiClient, retries_until_authorizer_knows_pod) {
  const auto known_at_once = co_await read_refused(loop, 0, kNoPodYet);
  EXPECT_EQ(known_at_once, std::pair(true, 1));
  const auto known_later = co_await read_refused(loop, 3, kNoPodYet);
  EXPECT_EQ(known_later, std::pair(true, 4));
  const auto never_known = co_await read_refused(loop, 100, kNoPodYet);
  EXPECT_EQ(never_known, std::pair(false, 6));
}

CO_TEST(NodeApiClient, does_not_retry_without_permission) {
  const auto refused = co_await read_refused(loop, 1, "RBAC: no such role");
  EXPECT_EQ(refused, std::pair(false, 1));
}

}  // namespace
}  // namespace dcm::playground
