// What is read for a question about devices, and in which order.
#include "explain/devices/read_devices.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>
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

struct ReadableDevices {
  explicit ReadableDevices(runtime::VirtualLoop& loop) : rest(loop) {}

  void answer(std::uint16_t status, std::string body) {
    rest.http.answer({.status = status, .headers = {}, .body = std::move(body)});
  }
  // Everything up to the claims: no classes, nodes, rules and slices.
  void answer_up_to_claims() {
    answer(200, R"({"kind":"APIGroup","name":"resource.k8s.io","versions":[)"
                R"({"groupVersion":"resource.k8s.io/v1","version":"v1"}]})");
    answer(200, R"({"kind":"APIResourceList","resources":[{"name":"resourceclaims"},)"
                R"({"name":"resourceslices"}]})");
    answer(200, R"({"kind":"DeviceClassList","metadata":{"resourceVersion":"1"},"items":[]})");
    answer(200, R"({"kind":"NodeList","metadata":{"resourceVersion":"1"},"items":[]})");
    answer(200, R"({"kind":"APIGroup","name":"resource.k8s.io","versions":[)"
                R"({"groupVersion":"resource.k8s.io/v1","version":"v1"}]})");
    answer(200, R"({"kind":"APIResourceList","resources":[{"name":"resourceclaims"},)"
                R"({"name":"resourceslices"}]})");
    answer(200, R"({"kind":"ResourceSliceList","metadata":{"resourceVersion":"1"},"items":[]})");
  }
  // The claim "theirs/secret", whose request wants that much memory.
  void answer_claims(const std::string& memory) {
    answer(200, fmt::format(
                    R"({{"kind":"ResourceClaimList","metadata":{{"resourceVersion":"1"}},"items":)"
                    R"([{{"metadata":{{"namespace":"theirs","name":"secret","uid":"u",)"
                    R"("resourceVersion":"1"}},"spec":{{"devices":{{"requests":[{{"name":"r",)"
                    R"("exactly":{{"deviceClassName":"gpu","capacity":{{"requests":{{"memory":)"
                    R"({}}}}}}}}}]}}}}}}]}})",
                    memory));
  }

  client::RestClientFixture rest;
};

// kube-apiserver stores such claims, and one of them must not stop the answers for all others.
CO_TEST(ReadDevices, reads_quantities_of_any_size) {
  for (const std::string memory :
       {"\"10000000000000000000000000000000000000000\"", "\"1e1000002\""}) {
    ReadableDevices devices(loop);
    devices.answer_up_to_claims();
    devices.answer_claims(memory);
    const auto topic = co_await read_devices(devices.rest.client, loop.time(),
                                             {Subject::Kind::claim, {"lab", "c"}}, Names::all,
                                             runtime::Deadline::after(loop.time(), 10s));
    EXPECT_TRUE(topic) << memory << ": " << (topic ? "" : topic.error().why);
  }
}

CO_TEST(ReadDevices, names_unreadable_object_only_to_readers_of_all_namespaces) {
  for (const auto& [names, expected] :
       {std::pair(Names::all, "expected a quantity (in theirs/secret)"),
        std::pair(Names::own_namespace, "ResourceClaim objects: one of them cannot be read")}) {
    ReadableDevices devices(loop);
    devices.answer_up_to_claims();
    devices.answer_claims("\"many\"");
    const auto topic = co_await read_devices(devices.rest.client, loop.time(),
                                             {Subject::Kind::claim, {"lab", "c"}}, names,
                                             runtime::Deadline::after(loop.time(), 10s));
    CO_ASSERT_TRUE(!topic);
    EXPECT_TRUE(topic.error().why.ends_with(expected)) << topic.error().why;
  }
}

}  // namespace
}  // namespace dcm::explain
