// A rule that hits 10,000 pods at once: live work continues meanwhile, and nothing piles up.
//
// Both controllers with their caches and the real client, with the limits that it has by default,
// against the API server in memory over HTTP, on virtual time.
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apiserver/front/direct.hpp"
#include "apiserver/front/http_front.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/herd/whole_manager.hpp"

namespace dcm {
namespace {

using namespace std::chrono_literals;
using apiserver::LoggedRequest;
using runtime::sleep_for;

#if defined(__has_feature) && __has_feature(address_sanitizer)
constexpr std::size_t kPods = 2'000;  // each of them costs much more
#else
constexpr std::size_t kPods = 10'000;
#endif
constexpr std::size_t kPodsOfAClaim = 100;
constexpr const char* kGroup = "/apis/resource.k8s.io/v1";
constexpr const char* kTaint =
    R"({"key":"burnt","effect":"NoExecute","timeAdded":"2020-01-01T00:00:00Z"})";

class Herd {
 public:
  explicit Herd(runtime::VirtualLoop& virtual_loop)
      : loop(virtual_loop),
        server(loop.time(), runtime::Rng(2), {.log_limit = 0}),
        network(loop.time()),
        listener(network.listen("server", 80)),
        group(loop.executor()) {
    server.before([this](const LoggedRequest& request) -> std::optional<apiserver::Response> {
      if (request.user_agent == "test" && request.is_write()) writes.push_back(request);
      return std::nullopt;
    });
    group.spawn("server", http::serve(*listener, loop.time(), apiserver::front_options(),
                                      apiserver::http_handler(server, loop.time()), {}));
  }

  static std::string in(const std::string& ns, const std::string& what) {
    return (what.starts_with("pods") ? "/api/v1" : std::string(kGroup)) + "/namespaces/" + ns +
           "/" + what;
  }
  void must(const apiserver::Answer& answer) {
    ASSERT_TRUE(answer.ok()) << apiserver::serialize(answer.body);
  }

  // Pods on one device, by a claim reserved for all of them.
  void add_users(const std::string& ns, const std::string& claim, std::size_t count) {
    direct("POST", in(ns, "resourceclaims"),
           R"({"metadata":{"name":")" + claim + R"("},"spec":{"devices":{"requests":[)" +
               R"({"name":"r","exactly":{"deviceClassName":"gpu.example.com"}}]}}})");
    std::string reserved;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = fmt::format("{}-{}", claim, i);
      const apiserver::Answer pod =
          direct("POST", in(ns, "pods"),
                 R"({"metadata":{"name":")" + name +
                     R"("},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}],)" +
                     R"("resourceClaims":[{"name":"a","resourceClaimName":")" + claim + R"("}]}})");
      reserved += fmt::format(R"({}{{"resource":"pods","name":"{}","uid":"{}"}})",
                              i == 0 ? "" : ",", name, pod.uid());
    }
    direct("PATCH", in(ns, "resourceclaims/" + claim + "/status"),
           fmt::format(R"({{"status":{{"allocation":{{"devices":{{"results":[{{"request":"r",)"
                       R"("driver":"gpu.example.com","pool":"{}","device":"{}"}}]}}}},)"
                       R"("reservedFor":[{}]}}}})",
                       ns, claim, reserved));
  }

  void add_rule(const std::string& pool) {
    direct("POST", std::string(kGroup) + "/devicetaintrules",
           R"({"metadata":{"name":"burnt"},"spec":{"deviceSelector":{"pool":")" + pool +
               R"("},"taint":)" + kTaint + "}}");
  }

  void taint_by_driver(const std::string& pool, const std::string& device) {
    direct("POST", std::string(kGroup) + "/resourceslices",
           R"({"metadata":{"name":"slice"},"spec":{"driver":"gpu.example.com","allNodes":true,)"
           R"("pool":{"name":")" +
               pool + R"(","generation":1,"resourceSliceCount":1},"devices":[{"name":")" + device +
               R"(","taints":[)" + kTaint + "]}]}}");
  }

  void add_template_and_pod(const std::string& ns) {
    direct("POST", in(ns, "resourceclaimtemplates"),
           R"({"metadata":{"name":"t"},"spec":{"spec":{}}})");
    direct("POST", in(ns, "pods"),
           R"({"metadata":{"name":"new"},"spec":{"containers":[{"name":"c","image":"i"}],)"
           R"("resourceClaims":[{"name":"a","resourceClaimTemplateName":"t"}]}})");
  }

  // How many writes the server received from here on before the first matching one.
  std::size_t writes_before(std::size_t from, const std::string& verb, const std::string& resource,
                            const std::string& ns) const {
    for (std::size_t i = from; i < writes.size(); ++i) {
      const LoggedRequest& each = writes[i];
      if (each.verb == verb && each.resource == resource && each.ns == ns) return i - from;
    }
    return writes.size();
  }

  std::vector<std::string> conditions() const {
    std::vector<std::string> messages;
    for (const LoggedRequest& each : writes) {
      if (each.resource != "devicetaintrules") continue;
      std::string problem;
      const auto body = apiserver::parse(each.body, problem);
      const auto& condition = body->at("status").at("conditions").at(0);
      messages.emplace_back(condition.at("message").as_string());
    }
    return messages;
  }

  runtime::VirtualLoop& loop;
  apiserver::Server server;
  http::PipeNetwork network;
  std::unique_ptr<http::Listener> listener;
  std::vector<LoggedRequest> writes;  // the manager's writes, in order of arrival
  runtime::TaskGroup group;

 private:
  apiserver::Answer direct(std::string_view method, const std::string& target,
                           const std::string& body) {
    const auto type = method == "PATCH" ? apiserver::kMerge : "application/json";
    apiserver::Answer answer = scene_.send(method, target, type, body);
    must(answer);
    return answer;
  }
  apiserver::Direct scene_{server, "scene"};
};

CO_TEST(Herd, does_not_delay_other_pods) {
  Herd herd(loop);
  for (std::size_t i = 0; i < kPods / kPodsOfAClaim; ++i) {
    herd.add_users("default", fmt::format("claim-{}", i), kPodsOfAClaim);
  }
  herd.add_users("kube-system", "single", 1);
  WholeManager manager(loop, herd.network);
  co_await manager.start();
  co_await sleep_for(loop.time(), 1min);
  EXPECT_TRUE(herd.writes.empty());

  herd.add_rule("default");
  // 200 requests a second: this is the beginning.
  co_await sleep_for(loop.time(), 5s);
  const std::size_t begun = herd.writes.size();
  EXPECT_GT(begun, 1000U);
  EXPECT_LT(begun, kPods);

  // The claim controller.
  herd.add_template_and_pod("kube-system");
  co_await sleep_for(loop.time(), 2s);
  EXPECT_LE(herd.writes_before(begun, "create", "resourceclaims", "kube-system"), 12U);
  EXPECT_LE(herd.writes_before(begun, "patch", "pods", "kube-system"), 24U);

  // The eviction controller.
  const std::size_t tainted = herd.writes.size();
  herd.taint_by_driver("kube-system", "single");
  co_await sleep_for(loop.time(), 2s);
  EXPECT_LE(herd.writes_before(tainted, "delete", "pods", "kube-system"), 40U);

  co_await sleep_for(loop.time(), 10min);
  std::size_t deletions = 0;
  std::set<std::string> deleted;
  for (const LoggedRequest& each : herd.writes) {
    if (each.verb != "delete" || each.resource != "pods") continue;
    ++deletions;
    deleted.insert(each.name);
  }
  EXPECT_EQ(deletions, kPods + 1);
  EXPECT_EQ(deleted.size(), kPods + 1);

  // The rule has reported its progress.
  const std::vector<std::string> conditions = herd.conditions();
  EXPECT_GE(conditions.size(), 3U);
  EXPECT_LE(conditions.size(), 2 + kPods / 900) << "one in 10 s at most";
  EXPECT_EQ(conditions.front(), fmt::format("{} pods need to be evicted in 1 namespace.", kPods));
  EXPECT_EQ(conditions.back(),
            fmt::format("{} pods evicted since starting the controller.", kPods));
  for (std::size_t i = 1; i + 1 < conditions.size(); ++i) {
    EXPECT_LT(std::stoul(conditions[i]), std::stoul(conditions[i - 1])) << conditions[i];
  }

  // Five watches, the workers of one controller, ten events and a condition.
  EXPECT_LE(manager.transport.opened, 30U);
  co_await manager.stop();
  herd.group.cancel();
  co_await herd.group.join();
}

}  // namespace
}  // namespace dcm
