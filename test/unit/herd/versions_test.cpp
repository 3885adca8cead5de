// Versions of resource.k8s.io that appear and disappear while the manager runs: each kind follows.
//
// Epochs with the real client against the API server in memory over HTTP, on virtual time.
#include <string>

#include "apiserver/front/direct.hpp"
#include "apiserver/front/http_front.hpp"
#include "controllers/api/resources.hpp"
#include "runtime/http/pipe.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/herd/whole_manager.hpp"

namespace dcm {
namespace {

using namespace std::chrono_literals;
using apiserver::LoggedRequest;
using apiserver::ServedVersions;
using runtime::sleep_for;

constexpr const char* kPod = "/api/v1/namespaces/default/pods/p";

class Silent final : public api::EventSink {
  void report(const api::ObjectReference&, api::EventType, std::string_view, std::string_view,
              std::string_view) override {}
};

class Site {
 public:
  Site(runtime::VirtualLoop& loop, const ServedVersions& served)
      : time(loop.time()),
        network_(loop.time()),
        server_(loop.time(), runtime::Rng(2), {.served = served}),
        listener_(network_.listen("server", 80)),
        front_(loop.executor()) {
    front_.spawn("server", http::serve(*listener_, loop.time(), apiserver::front_options(),
                                       apiserver::http_handler(server_, loop.time()), {}));
    manager_ = std::make_unique<WholeManager>(loop, network_);
    front_.spawn("manager", manager_->start());
  }
  runtime::Task<> leave() {
    co_await manager_->stop();
    manager_ = nullptr;
    front_.cancel();
    co_await front_.join();
  }

  // Like an API server that is replaced by another one: its watches end.
  void serve(const ServedVersions& served) {
    server_.serve(served);
    server_.end_watches();
  }
  std::string why_not_ready() const { return manager_->why_not_ready(); }

  // A pod on a node with its own device, by a claim reserved for it.
  void add_pod() {
    const apiserver::Answer pod =
        must(scene_.post("/api/v1/namespaces/default/pods",
                         R"({"metadata":{"name":"p"},"spec":{"nodeName":"n",)"
                         R"("containers":[{"name":"c","image":"i"}],)"
                         R"("resourceClaims":[{"name":"a","resourceClaimName":"c"}]}})"));
    must(scene_.post(kClaims_, R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[)"
                               R"({"name":"r","exactly":{"deviceClassName":"gpu"}}]}}})"));
    must(scene_.patch(std::string(kClaims_) + "/c/status", apiserver::kMerge,
                      R"({"status":{"allocation":{"devices":{"results":[{"request":"r",)"
                      R"("driver":"d","pool":"n","device":"gpu-0"}]}},"reservedFor":[)"
                      R"({"resource":"pods","name":"p","uid":")" +
                          std::string(pod.uid()) + R"("}]}})"));
  }
  void add_rule(const std::string& version, const std::string& device) {
    must(scene_.post(rules(version), R"({"metadata":{"name":"r"},"spec":{"deviceSelector":)"
                                     R"({"device":")" +
                                         device +
                                         R"("},"taint":{"key":"burnt","effect":"NoExecute"}}})"));
  }
  void remove_rule(const std::string& version) { must(scene_.remove(rules(version) + "/r")); }
  bool is_pod_evicted() {
    return scene_.get(kPod).status == 404 ||
           !scene_.get(kPod).text({"metadata", "deletionTimestamp"}).empty();
  }
  // Requests for one kind in one version, since the last call.
  std::size_t watches(const std::string& version, const std::string& resource) {
    std::size_t found = 0;
    for (const LoggedRequest& request : server_.log().all()) {
      found += request.verb == "watch" && request.version == version &&
               request.resource == resource && request.status == 200;
    }
    server_.log().clear();
    return found;
  }

  runtime::TimeSource& time;

 private:
  static constexpr const char* kClaims_ =
      "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
  static std::string rules(const std::string& version) {
    return "/apis/resource.k8s.io/" + version + "/devicetaintrules";
  }
  static apiserver::Answer must(apiserver::Answer answer) {
    EXPECT_TRUE(answer.ok()) << answer.status << " " << answer.text({"message"});
    return answer;
  }

  http::PipeNetwork network_;
  apiserver::Server server_;
  apiserver::Direct scene_{server_, "scene"};
  std::unique_ptr<http::Listener> listener_;
  runtime::TaskGroup front_;
  std::unique_ptr<WholeManager> manager_;
};

CO_TEST(Versions, follow_rules_to_next_version) {
  Site site(loop, {.device_taint_rules = {"v1beta2"}});
  site.add_pod();
  site.add_rule("v1beta2", "another");
  co_await sleep_for(site.time, 1min);
  EXPECT_EQ(site.watches("v1beta2", "devicetaintrules"), 1U);

  site.serve({.device_taint_rules = {"v1"}});
  co_await sleep_for(site.time, 2min);
  EXPECT_EQ(site.watches("v1", "devicetaintrules"), 1U);
  EXPECT_EQ(site.why_not_ready(), "");
  EXPECT_FALSE(site.is_pod_evicted());
  site.remove_rule("v1");
  site.add_rule("v1", "gpu-0");
  co_await sleep_for(site.time, 1min);
  EXPECT_TRUE(site.is_pod_evicted());
  co_await site.leave();
}

CO_TEST(Versions, clear_taints_when_rules_disappear) {
  Site site(loop, {.device_taint_rules = {"v1alpha3"}});
  site.add_rule("v1alpha3", "gpu-0");
  co_await sleep_for(site.time, 1min);
  site.serve({.device_taint_rules = {}});
  co_await sleep_for(site.time, 2min);
  EXPECT_EQ(site.why_not_ready(), "");
  site.add_pod();
  co_await sleep_for(site.time, 10min);
  EXPECT_FALSE(site.is_pod_evicted());

  site.serve({.device_taint_rules = {"v1"}});
  co_await sleep_for(site.time, 1min);
  EXPECT_TRUE(site.is_pod_evicted()) << "they are looked for again";
  co_await site.leave();
}

TEST(Versions, are_chosen_for_all_kinds_together) {
  const auto kinds = [](bool claims, bool eviction) {
    dra_manager::Options options;
    options.runs_resource_claim_controller = claims;
    options.runs_device_taint_eviction_controller = eviction;
    runtime::MetricsRegistry metrics;
    Silent events;
    dra_manager::CurrentExplanations explanations;
    return dra_manager::make_controllers(options, events, explanations).kinds;
  };
  using api::kResourceClaims, api::kResourceClaimTemplates, api::kResourceSlices;
  EXPECT_EQ(kinds(true, true),
            (client::KindSet{&kResourceClaims, &kResourceClaimTemplates, &kResourceSlices}));
  EXPECT_EQ(kinds(true, false), (client::KindSet{&kResourceClaims, &kResourceClaimTemplates}));
  EXPECT_EQ(kinds(false, true), (client::KindSet{&kResourceClaims, &kResourceSlices}));
}

}  // namespace
}  // namespace dcm
