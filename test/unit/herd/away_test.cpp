// An API server that is away for ten minutes: nothing piles up meanwhile, and the manager recovers
// within seconds afterwards.
//
// Both controllers with their caches and the real client against the API server in memory over
// HTTP, on virtual time.
#include <string>

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

constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr const char* kTemplates =
    "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates";
constexpr const char* kClaims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";

// A server that keeps its objects while unreachable.
class Site {
 public:
  explicit Site(runtime::VirtualLoop& loop)
      : server(loop.time(), runtime::Rng(2), {.log_limit = 0}), network(loop.time()), loop_(loop) {
    server.before([this](const LoggedRequest& request) -> std::optional<apiserver::Response> {
      const bool is_create = request.verb == "create" && request.resource == "resourceclaims";
      if (!is_create || !refuses_claims) return std::nullopt;
      return apiserver::Response{.status = 500, .body = "{}"};
    });
    come();
  }
  ~Site() { EXPECT_EQ(front_, nullptr) << "leave() first"; }

  void come() {
    listener_ = network.listen("server", 80);
    front_ = std::make_unique<runtime::TaskGroup>(loop_.executor());
    front_->spawn("server", http::serve(*listener_, loop_.time(), apiserver::front_options(),
                                        apiserver::http_handler(server, loop_.time()), {}));
  }
  runtime::Task<> leave() {
    front_->cancel();
    co_await front_->join();
    front_.reset();
    listener_.reset();
    network.cut_all();
  }

  void add_pod(const std::string& name) {
    const apiserver::Answer added =
        scene_.send("POST", kPods, "application/json",
                    R"({"metadata":{"name":")" + name +
                        R"("},"spec":{"containers":[{"name":"c","image":"i"}],)"
                        R"("resourceClaims":[{"name":"a","resourceClaimTemplateName":"t"}]}})");
    EXPECT_TRUE(added.ok());
  }
  void add_template() {
    EXPECT_TRUE(scene_
                    .send("POST", kTemplates, "application/json",
                          R"({"metadata":{"name":"t"},"spec":{"spec":{}}})")
                    .ok());
  }
  std::size_t claims() {
    const apiserver::Answer list = scene_.send("GET", kClaims, "application/json", "");
    return list.body.at("items").as_array().size();
  }

  apiserver::Server server;
  http::PipeNetwork network;
  bool refuses_claims = false;

 private:
  runtime::VirtualLoop& loop_;
  std::unique_ptr<http::Listener> listener_;
  std::unique_ptr<runtime::TaskGroup> front_;
  apiserver::Direct scene_{server, "scene"};
};

// For how long the manager has had no news of a kind that it has synced; 0: it has some.
std::size_t seconds_without(const WholeManager& manager, const std::string& kind) {
  const std::string why = manager.why_not_ready();
  const std::string words = kind + ": no news for ";
  const auto at = why.find(words);
  return at == std::string::npos ? 0 : std::stoul(why.substr(at + words.size()));
}

CO_TEST(Away, costs_little_in_ten_minutes_and_recovers_within_seconds) {
  Site site(loop);
  WholeManager manager(loop, site.network);
  co_await manager.start();
  site.add_template();
  site.add_pod("served");
  co_await sleep_for(loop.time(), 10s);
  EXPECT_EQ(site.claims(), 1U);

  // Work that is being retried when the server disappears.
  site.refuses_claims = true;
  constexpr std::size_t kTried = 50;
  for (std::size_t i = 0; i < kTried; ++i) site.add_pod("tried-" + std::to_string(i));
  co_await sleep_for(loop.time(), 20s);
  EXPECT_EQ(site.claims(), 1U);
  co_await site.leave();
  site.refuses_claims = false;

  co_await sleep_for(loop.time(), 2min);
  EXPECT_GE(seconds_without(manager, "pods"), 100U);
  const std::size_t timers = loop.time().pending();
  const std::size_t attempts = manager.transport.opened;
  co_await sleep_for(loop.time(), 8min);
  EXPECT_LE(loop.time().pending(), timers + 10) << "nothing piles up";
  // A watch waits 4 s or longer between two attempts. The back-off of an item is 20 s by now, and
  // doubles: five more tries, and one that may be running.
  constexpr std::size_t kAttempts = 8;  // of one call
  constexpr std::size_t kOfWatches = 8 * 15 * 5;
  constexpr std::size_t kOfVersions = 8 * 2 * kAttempts;
  constexpr std::size_t kOfItems = kTried * 6 * kAttempts;
  EXPECT_LE(manager.transport.opened - attempts, kOfWatches + kOfVersions + kOfItems);
  EXPECT_GE(seconds_without(manager, "resourceclaims"), 580U) << "they stay synced";

  site.come();
  site.add_pod("after");
  co_await sleep_for(loop.time(), 10s);
  EXPECT_EQ(manager.why_not_ready(), "");
  EXPECT_EQ(site.claims(), 52U);

  co_await manager.stop();
  co_await site.leave();
}

}  // namespace
}  // namespace dcm
