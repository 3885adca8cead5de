// What is read for a question about devices, and in which order.
#include "explain/devices/read_devices.hpp"

#include <gtest/gtest.h>

#include "test/support/co_test.hpp"
#include "test/unit/client/rest_client_fixture.hpp"

namespace dcm::explain {
namespace {

using namespace std::chrono_literals;

// Managers without components/explain are not permitted to read classes. Claims and slices may be
// many megabytes.
CO_TEST(ReadDevices, ends_at_forbidden_classes_before_anything_large) {
  client::RestClientFixture rest(loop);
  const auto answer = [&](std::uint16_t status, std::string body) {
    rest.http.answer({.status = status, .headers = {}, .body = std::move(body)});
  };
  answer(200, R"({"kind":"APIGroup","name":"resource.k8s.io","versions":[)"
              R"({"groupVersion":"resource.k8s.io/v1","version":"v1"}]})");
  answer(200, R"({"kind":"APIResourceList","resources":[{"name":"resourceclaims"},)"
              R"({"name":"resourceslices"}]})");
  answer(403, R"({"kind":"Status","reason":"Forbidden","message":"not for you"})");
  const auto topic =
      co_await read_devices(rest.client, loop.time(), {Subject::Kind::claim, {"lab", "c"}},
                            Names::all, runtime::Deadline::after(loop.time(), 10s));
  CO_ASSERT_TRUE(!topic);
  EXPECT_EQ(topic.error().why, "DeviceClass objects: not for you");
  EXPECT_EQ(rest.http.seen().size(), 3U);
  EXPECT_TRUE(rest.http.seen().back().request.target.contains("/deviceclasses"));
}

}  // namespace
}  // namespace dcm::explain
