#include "manager/late_kind.hpp"

#include <gmock/gmock.h>

#include "controllers/api/resources.hpp"
#include "runtime/task_group.hpp"
#include "test/unit/client/rest_client_fixture.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class LateKindTest : public testing::Test {
 protected:
  LateKindTest()
      : kind({discovery, loop.time()}, api::kPodGroups,
             {.start = [this](const client::Served& served) -> informers::SyncState& {
                told.push_back("start " + served.version);
                return cache;
              },
              .not_served = [this] { told.emplace_back("not served"); },
              .has_lost =
                  [this](const std::string& version) { told.push_back("lost " + version); }}),
        tasks(loop.executor()) {}
  ~LateKindTest() override {
    tasks.cancel();
    loop.run(tasks.join());
  }

  // The server's next answers.
  void serves(const std::string& version, bool has_status = false) {
    answer(200, R"({"kind":"APIGroup","versions":[{"version":")" + version + R"("}]})");
    const std::string status = has_status ? R"(,{"name":"podgroups/status"})" : "";
    answer(200, R"({"kind":"APIResourceList","resources":[{"name":"podgroups"})" + status + "]}");
  }
  void serves_nothing() { answer(404, "404 page not found"); }
  void answer(std::uint16_t status, std::string body) {
    rest.http.answer({.status = status, .headers = {}, .body = std::move(body)});
  }
  std::vector<std::string> news() { return std::exchange(told, {}); }

  runtime::VirtualLoop loop;
  client::RestClientFixture rest{loop};
  client::Discovery discovery{rest.client};
  informers::SyncState cache{"podgroups", loop.time()};
  std::vector<std::string> told;
  LateKind kind;
  runtime::TaskGroup tasks;
};

TEST_F(LateKindTest, starts_in_best_served_version) {
  EXPECT_EQ(kind.missing()->whole, "podgroups: not asked for yet");
  serves("v1alpha3");
  loop.run(kind.find());
  EXPECT_FALSE(kind.missing());
  EXPECT_THAT(news(), ElementsAre("start v1alpha3"));
}

TEST_F(LateKindTest, asks_again_after_no_answer) {
  answer(403, R"({"kind":"Status","message":"no"})");
  tasks.spawn("find", kind.find());
  loop.run_for(1s);
  EXPECT_EQ(kind.missing()->by_name, "podgroups: forbidden");
  EXPECT_THAT(news(), IsEmpty());
  serves("v1beta1");
  loop.run_for(10s);
  EXPECT_FALSE(kind.missing());
  EXPECT_THAT(news(), ElementsAre("start v1beta1"));
}

TEST_F(LateKindTest, starts_when_served_later) {
  serves_nothing();
  loop.run(kind.find());
  EXPECT_FALSE(kind.missing()) << "the work goes on without";
  EXPECT_THAT(news(), ElementsAre("not served"));
  tasks.spawn("follow", kind.follow());
  loop.run_for(10s);
  serves("v1beta1");
  loop.run_for(1min);
  EXPECT_THAT(news(), ElementsAre("start v1beta1"));
}

TEST_F(LateKindTest, is_rarely_asked_about_while_watch_works) {
  serves("v1beta1");
  loop.run(kind.find());
  const std::size_t asked = rest.http.seen().size();
  tasks.spawn("follow", kind.follow());
  loop.run_for(9min);
  EXPECT_EQ(rest.http.seen().size(), asked);
  for (int i = 0; i < 6; ++i) serves("v1beta1");
  loop.run_for(1h);
  EXPECT_EQ(rest.http.seen().size(), asked + 12) << "two documents every ten minutes";
}

// As after an upgrade from Kubernetes 1.34.
TEST_F(LateKindTest, is_lost_by_status_that_appears) {
  serves("v1alpha3");
  loop.run(kind.find());
  tasks.spawn("follow", kind.follow());
  serves("v1alpha3", true);
  loop.run_for(11min);
  EXPECT_THAT(news(), ElementsAre("start v1alpha3", "lost v1alpha3"));
}

TEST_F(LateKindTest, is_lost_by_other_version_but_not_by_silence) {
  for (const bool is_none : {true, false}) {
    SCOPED_TRACE(is_none);
    serves("v1beta1");
    LateKind each(
        {discovery, loop.time()}, api::kPodGroups,
        {.start = [this](const client::Served&) -> informers::SyncState& { return cache; },
         .not_served = [] {},
         .has_lost = [this](const std::string& version) { told.push_back(version); }});
    loop.run(each.find());
    cache.note_error({runtime::Reason::not_served, "404"});
    answer(403, R"({"kind":"Status","message":"no"})");
    tasks.spawn("follow", each.follow());
    loop.run_for(31s);
    EXPECT_THAT(news(), IsEmpty());
    is_none ? serves_nothing() : serves("v1alpha3");
    loop.run_for(1min);
    EXPECT_THAT(news(), ElementsAre("v1beta1"));
  }
}

}  // namespace
}  // namespace dcm::manager
