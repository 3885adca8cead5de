// Each request as it goes over the wire: method, path, media type, body.
#include "controllers/resource_claim/api/api_client.hpp"

#include <gmock/gmock.h>

#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/support/objects.hpp"
#include "test/unit/client/rest_client_fixture.hpp"

namespace dcm::resource_claim {
namespace {

using testing::HasSubstr;

constexpr const char* kClaimUid = "0d8a9b1c-3b5e-4c0e-8a33-77c0b1d7f9aa";
constexpr const char* kPodUid = "5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11";
constexpr const char* kClaims = "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims";

std::string claim_json(const std::string& name) {
  return R"({"kind":"ResourceClaim","metadata":{"name":")" + name +
         R"(","namespace":"lab","uid":"0d8a9b1c-3b5e-4c0e-8a33-77c0b1d7f9aa",)"
         R"("resourceVersion":"81534"},"spec":{},"status":{"allocation":{}}})";
}

constexpr const char* kPodWithoutClaims =
    R"({"kind":"Pod","metadata":{"name":"trainer-0","namespace":"lab","resourceVersion":"7",)"
    R"("uid":"5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11"},"spec":{},"status":{"phase":"Failed"}})";

struct Fixture : client::RestClientFixture {
  explicit Fixture(runtime::VirtualLoop& loop, client::RestClientOptions options = {})
      : RestClientFixture(loop, std::move(options)) {}

  void answer(std::string body) {
    http.answer({.status = 200, .headers = {}, .body = std::move(body)});
  }
  // "PATCH /apis/… application/…", of the last request.
  std::string line() const {
    const http::Request& sent = http.seen().back().request;
    const auto type = sent.headers.find("Content-Type");
    return std::string(to_string(sent.method)) + " " + sent.target +
           (type ? " " + std::string(*type) : "");
  }
  const std::string& body() const { return http.seen().back().request.body; }

  ClaimPtr claim = test::make_claim("shared").with_uid(kClaimUid).at("81507").get();
  PodPtr pod = test::make_pod("trainer-0").with_uid(kPodUid).get();
  std::unique_ptr<api::Decoder<api::Pod>> pod_decoder =
      api::make_json_pod_decoder(api::PodSelection::all);
  std::unique_ptr<api::Decoder<api::ResourceClaim>> claim_decoder =
      api::make_json_claim_decoder("v1");
  TemplateContents contents{client, {&api::kResourceClaimTemplates, "v1"}, time};
  ApiClient api{{client, {&api::kPods, "v1"}, *pod_decoder},
                {client, {&api::kResourceClaims, "v1"}, *claim_decoder},
                contents};
};

CO_TEST(ApiClient, gets_pod_with_or_without_claims) {
  Fixture f(loop);
  f.answer(kPodWithoutClaims);
  const Result<PodPtr> pod =
      co_await f.api.send(Get<api::Pod>{{"lab", "trainer-0"}}, Priority::live);
  CO_ASSERT_TRUE(pod);
  CO_ASSERT_TRUE(*pod != nullptr);
  EXPECT_EQ((*pod)->phase, api::PodPhase::failed);
  EXPECT_EQ(f.line(), "GET /api/v1/namespaces/lab/pods/trainer-0");
}

CO_TEST(ApiClient, gets_claim) {
  Fixture f(loop);
  f.answer(claim_json("shared"));
  const Result<ClaimPtr> claim =
      co_await f.api.send(Get<api::ResourceClaim>{{"lab", "shared"}}, Priority::live);
  CO_ASSERT_TRUE(claim);
  EXPECT_TRUE((*claim)->is_allocated);
  EXPECT_EQ(f.line(), std::string("GET ") + kClaims + "/shared");
}

CO_TEST(ApiClient, reports_missing_claim_as_not_found) {
  Fixture f(loop);
  f.http.answer({.status = 404,
                 .headers = {},
                 .body = R"({"kind":"Status","reason":"NotFound","details":{"name":"shared"}})"});
  const Result<ClaimPtr> claim =
      co_await f.api.send(Get<api::ResourceClaim>{{"lab", "shared"}}, Priority::live);
  CO_ASSERT_TRUE(!claim);
  EXPECT_TRUE(runtime::is_not_found(claim.error()));
}

CO_TEST(ApiClient, creates_claim) {
  Fixture f(loop);
  f.answer(claim_json("trainer-0-gpus-x7k2p"));
  api::ResourceClaimTemplate gpu;
  gpu.meta.key = {"lab", "gpu"};
  gpu.claim_spec.bytes = R"({"devices":{"future":1}})";
  const CreateClaim create{.pod_claim = "gpus",
                           .name = "trainer-0-gpus-x7k2p",
                           .generate_name = "trainer-0-gpus-",
                           .claim_template = api::ObjectPtr(std::move(gpu)),
                           .owner = {"v1", "Pod", "trainer-0", api::Uid(kPodUid)},
                           .replaces = ""};
  const Result<ClaimPtr> made = co_await f.api.send(create, Priority::live);
  CO_ASSERT_TRUE(made);
  EXPECT_EQ((*made)->meta.key.name, "trainer-0-gpus-x7k2p");
  EXPECT_THAT(f.line(), testing::StartsWith(std::string("POST ") + kClaims));
  EXPECT_THAT(f.body(), HasSubstr(R"("name":"trainer-0-gpus-x7k2p")"));
  EXPECT_THAT(f.body(), HasSubstr(R"("generateName":"trainer-0-gpus-")"));
  EXPECT_THAT(f.body(), HasSubstr(R"("resource.kubernetes.io/pod-claim-name":"gpus")"));
  EXPECT_THAT(f.body(), HasSubstr(R"("spec":{"devices":{"future":1}})"));
  EXPECT_THAT(f.body(), testing::Not(HasSubstr("blockOwnerDeletion")));
}

// Eighty pods behind a dead webhook delayed a healthy one by 9 s, when each blocked its worker.
CO_TEST(ApiClient, reports_refusal_at_once_for_retry_by_queue) {
  Fixture f(loop);
  f.http.answer({.status = 500, .headers = {{"Retry-After", "1"}}, .body = "no webhook"});
  const auto start = loop.time().now();
  const Result<> removed = co_await f.api.send(DeleteClaim{f.claim}, Priority::live);
  CO_ASSERT_TRUE(!removed);
  EXPECT_EQ(removed.error().reason, runtime::Reason::internal_error);
  EXPECT_EQ(f.http.seen().size(), 1U);
  EXPECT_EQ(loop.time().now(), start);
}

constexpr const char* kTemplateJson =
    R"({"metadata":{"name":"big","namespace":"lab","resourceVersion":"7","uid":"t-1"},)"
    R"("spec":{"metadata":{"labels":{"team":"vision"}},"spec":{"devices":{"future":"\u003c"}}}})";

CreateClaim create_from_oversized_template(std::size_t bytes) {
  api::ResourceClaimTemplate big;
  big.meta.key = {"lab", "big"};
  big.content = api::ResourceClaimTemplate::Content::left_out;
  big.content_bytes = bytes;
  return {.pod_claim = "gpus",
          .name = "trainer-0-gpus-x7k2p",
          .generate_name = "trainer-0-gpus-",
          .claim_template = api::ObjectPtr(std::move(big)),
          .owner = {"v1", "Pod", "trainer-0", api::Uid(kPodUid)},
          .replaces = ""};
}

CO_TEST(ApiClient, reads_oversized_template_when_creating_claim) {
  Fixture f(loop);
  f.answer(kTemplateJson);
  f.answer(claim_json("trainer-0-gpus-x7k2p"));
  const Result<ClaimPtr> made =
      co_await f.api.send(create_from_oversized_template(100'000), Priority::live);
  CO_ASSERT_TRUE(made);
  EXPECT_EQ(f.http.seen().front().request.target,
            "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaimtemplates/big");
  EXPECT_THAT(f.body(), HasSubstr(R"("labels":{"team":"vision"})"));
  EXPECT_THAT(f.body(), HasSubstr(R"("spec":{"devices":{"future":"<"}})"));
}

CO_TEST(ApiClient, does_not_send_invalid_claim) {
  Fixture f(loop);
  const Result<ClaimPtr> made =
      co_await f.api.send(create_from_oversized_template(3 * 1024 * 1024 + 1), Priority::live);
  CO_ASSERT_TRUE(!made);
  EXPECT_EQ(made.error().reason, runtime::Reason::request_too_large);
  EXPECT_TRUE(f.http.seen().empty());
}

// Slow webhooks may delay claims of one namespace, whose bodies stay in memory meanwhile.
CO_TEST(TemplateContents, leave_half_of_budget_to_other_namespaces) {
  Fixture f(loop);
  const auto borrow = [&f](const char* namespace_) {
    api::ResourceClaimTemplate big = *create_from_oversized_template(2'500'000).claim_template;
    big.meta.key.namespace_ = namespace_;
    f.answer(kTemplateJson);
    return f.contents.borrow(api::ObjectPtr(std::move(big)), {});
  };
  const auto first = co_await borrow("lab");
  CO_ASSERT_TRUE(first);
  runtime::TaskGroup group(loop.executor());
  for (int i = 0; i < 3; ++i) {
    group.spawn("waiter", [](auto task) -> runtime::Task<> {
      const auto loan = co_await std::move(task);
      EXPECT_FALSE(loan);
    }(borrow("lab")));
  }
  co_await runtime::yield();
  const auto start = loop.time().now();
  const auto other = co_await borrow("shop");
  EXPECT_TRUE(other);
  EXPECT_EQ(loop.time().now(), start);
  co_await group.join();
}

CO_TEST(ApiClient, applies_all_names_for_this_pod_only) {
  Fixture f(loop);
  f.answer(kPodWithoutClaims);
  const std::vector<ClaimName> names = {{"gpus", "g"}, {"nic", "n"}};
  const Result<PodPtr> written =
      co_await f.api.send(ApplyNames<api::Pod>{f.pod, names}, Priority::live);
  CO_ASSERT_TRUE(written);
  EXPECT_THAT(f.line(), testing::StartsWith("PATCH /api/v1/namespaces/lab/pods/trainer-0/status?"));
  EXPECT_THAT(f.line(), HasSubstr("fieldManager=ResourceClaimController"));
  EXPECT_THAT(f.line(), HasSubstr("force=true"));
  EXPECT_THAT(f.line(), testing::EndsWith("application/apply-patch+yaml"));
  EXPECT_THAT(f.body(), HasSubstr(kPodUid));
  EXPECT_THAT(f.body(), HasSubstr(R"([{"name":"gpus","resourceClaimName":"g"},)"
                                  R"({"name":"nic","resourceClaimName":"n"}])"));
}

constexpr const char* kGroupJson =
    R"({"kind":"PodGroup","metadata":{"name":"trainers","namespace":"lab","resourceVersion":"7",)"
    R"("uid":"c1f4a0de-2f0b-4a7e-9a51-2b7f7d1f0e42"},"spec":{}})";

struct FixtureWithGroups : Fixture {
  explicit FixtureWithGroups(runtime::VirtualLoop& loop) : Fixture(loop) {
    api.use_groups({client, {&api::kPodGroups, "v1alpha3"}, *group_decoder});
  }
  std::unique_ptr<api::Decoder<api::PodGroup>> group_decoder = api::make_json_group_decoder();
  GroupPtr group =
      test::make_group("trainers").with_uid("c1f4a0de-2f0b-4a7e-9a51-2b7f7d1f0e42").get();
};

CO_TEST(ApiClient, writes_group_claim_names_in_served_version) {
  FixtureWithGroups f(loop);
  f.answer(kGroupJson);
  const std::vector<ClaimName> names = {{"fabric", "f"}};
  const Result<GroupPtr> written =
      co_await f.api.send(ApplyNames<api::PodGroup>{f.group, names}, Priority::live);
  CO_ASSERT_TRUE(written);
  EXPECT_THAT(f.line(), testing::StartsWith("PATCH /apis/scheduling.k8s.io/v1alpha3/namespaces/lab/"
                                            "podgroups/trainers/status?"));
  EXPECT_THAT(f.line(), HasSubstr("fieldManager=ResourceClaimController"));
  EXPECT_THAT(f.line(), HasSubstr("force=true"));
  EXPECT_EQ(f.body(),
            R"({"apiVersion":"scheduling.k8s.io/v1alpha3","kind":"PodGroup",)"
            R"("metadata":{"name":"trainers","namespace":"lab",)"
            R"("uid":"c1f4a0de-2f0b-4a7e-9a51-2b7f7d1f0e42"},)"
            R"("status":{"resourceClaimStatuses":[{"name":"fabric","resourceClaimName":"f"}]}})");
}

CO_TEST(ApiClient, reports_group_as_gone_only_by_404_with_its_name) {
  FixtureWithGroups f(loop);
  f.http.answer({.status = 404, .headers = {}, .body = "404 page not found"});
  const Result<GroupPtr> not_served =
      co_await f.api.send(Get<api::PodGroup>{{"lab", "trainers"}}, Priority::live);
  CO_ASSERT_TRUE(!not_served);
  EXPECT_FALSE(runtime::is_not_found(not_served.error()));
  f.http.answer({.status = 404,
                 .headers = {},
                 .body = R"({"kind":"Status","reason":"NotFound","details":{"name":"trainers"}})"});
  const Result<GroupPtr> gone =
      co_await f.api.send(Get<api::PodGroup>{{"lab", "trainers"}}, Priority::live);
  CO_ASSERT_TRUE(!gone);
  EXPECT_TRUE(runtime::is_not_found(gone.error()));
}

CO_TEST(ApiClient, sends_nothing_about_unserved_groups) {
  Fixture f(loop);
  const Result<GroupPtr> group =
      co_await f.api.send(Get<api::PodGroup>{{"lab", "trainers"}}, Priority::live);
  CO_ASSERT_TRUE(!group);
  EXPECT_EQ(group.error().reason, runtime::Reason::not_served);
  EXPECT_TRUE(f.http.seen().empty());
}

CO_TEST(ApiClient, reserves_on_status_with_seen_version) {
  Fixture f(loop);
  f.answer(claim_json("shared"));
  const api::ConsumerReference consumer{"", "pods", "trainer-0", api::Uid(kPodUid)};
  const Result<ClaimPtr> reserved = co_await f.api.send(Reserve{f.claim, consumer}, Priority::live);
  CO_ASSERT_TRUE(reserved);
  EXPECT_EQ((*reserved)->meta.resource_version.str(), "81534");
  EXPECT_THAT(f.line(), testing::StartsWith(std::string("PATCH ") + kClaims + "/shared/status"));
  EXPECT_THAT(f.line(), testing::EndsWith("application/strategic-merge-patch+json"));
  EXPECT_THAT(f.body(), HasSubstr(R"("resourceVersion":"81507")"));
  EXPECT_THAT(f.body(), HasSubstr(kClaimUid));
}

CO_TEST(ApiClient, releases_on_status) {
  Fixture f(loop);
  f.answer(claim_json("shared"));
  const Release what{f.claim, {api::Uid(kPodUid)}, api::Allocation::clear};
  co_await f.api.send(what, Priority::live);
  EXPECT_THAT(f.line(), testing::StartsWith(std::string("PATCH ") + kClaims + "/shared/status"));
  EXPECT_THAT(f.body(), HasSubstr(R"("$patch":"delete")"));
  EXPECT_THAT(f.body(), HasSubstr(R"("allocation":null)"));
}

CO_TEST(ApiClient, removes_finalizer_on_main_path) {
  Fixture f(loop);
  f.answer(claim_json("shared"));
  co_await f.api.send(RemoveFinalizer{f.claim}, Priority::live);
  EXPECT_THAT(f.line(), testing::Not(HasSubstr("/status")));
  EXPECT_THAT(f.line(), testing::StartsWith(std::string("PATCH ") + kClaims + "/shared"));
  EXPECT_THAT(f.body(), HasSubstr(R"("$deleteFromPrimitiveList/finalizers":)"
                                  R"(["resource.kubernetes.io/delete-protection"])"));
  EXPECT_THAT(f.body(), HasSubstr(R"("resourceVersion":"81507")"));
}

CO_TEST(ApiClient, deletes_only_claim_with_uid) {
  Fixture f(loop);
  f.answer(R"({"kind":"Status","status":"Success"})");
  const Result<> deleted = co_await f.api.send(DeleteClaim{f.claim}, Priority::live);
  EXPECT_TRUE(deleted);
  EXPECT_THAT(f.line(), testing::StartsWith(std::string("DELETE ") + kClaims + "/shared"));
  EXPECT_THAT(f.body(), HasSubstr(R"("preconditions":{"uid":")" + std::string(kClaimUid)));
}

CO_TEST(ApiClient, sends_live_requests_before_backlog) {
  client::RestClientOptions one_at_a_time;
  one_at_a_time.limits.inflight_max = 1;
  Fixture f(loop, one_at_a_time);
  for (const char* name : {"a", "c", "b"}) {
    f.http.answer({.status = 200, .headers = {}, .body = claim_json(name)},
                  std::chrono::milliseconds(10));
  }
  const auto get = [&f](std::string name, Priority priority) -> Task<> {
    co_await f.api.send(Get<api::ResourceClaim>{{"lab", name}}, priority);
  };
  runtime::TaskGroup group(loop.executor());
  group.spawn("a", get("a", Priority::backlog));
  group.spawn("b", get("b", Priority::backlog));
  group.spawn("c", get("c", Priority::live));
  co_await group.join();
  std::string order;
  for (const auto& seen : f.http.seen()) order += seen.request.target.back();
  EXPECT_EQ(order, "acb");
}

}  // namespace
}  // namespace dcm::resource_claim
