#include "test/bench/crowd.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/front/direct.hpp"
#include "runtime/loop.hpp"

namespace dcm::bench {
namespace {

using apiserver::Answer;
using runtime::Result;
using runtime::Task;
using ::testing::HasSubstr;

constexpr const char* kPods = "/api/v1/pods";
constexpr const char* kInitialEvents =
    "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    "&timeoutSeconds=1";

class Collected final : public http::Responder {
 public:
  Task<Result<>> send(http::Response response) override {
    status = response.status;
    body = std::move(response.body);
    co_return Result<>();
  }
  Task<Result<>> begin(http::Response head) override {
    status = head.status;
    co_return Result<>();
  }
  Task<Result<>> write(std::string_view piece) override {
    body += piece;
    co_return Result<>();
  }
  Task<Result<>> end() override { co_return Result<>(); }
  void abort() override {}

  int status = 0;
  std::string body;
};

class CrowdTest : public testing::Test {
 protected:
  Collected ask(http::Method method, const std::string& target) {
    Collected collected;
    loop_.run(crowd_.handler()({.method = method, .target = target}, collected));
    return collected;
  }
  std::size_t count_added(const std::string& path) {
    const std::string body = ask(http::Method::get, path + kInitialEvents).body;
    EXPECT_THAT(body, HasSubstr("k8s.io/initial-events-end"));
    std::size_t count = 0;
    for (auto at = body.find("ADDED"); at != std::string::npos; at = body.find("ADDED", at + 1)) {
      ++count;
    }
    return count;
  }

  runtime::VirtualLoop loop_;
  apiserver::Server server_{loop_.time(), runtime::Rng(1)};
  Crowd crowd_{server_, loop_.time(), 3};
};

TEST_F(CrowdTest, shows_all_objects_to_watch) {
  EXPECT_EQ(count_added(kPods), 24U);
  EXPECT_EQ(count_added("/apis/resource.k8s.io/v1/resourceclaims"), 24U);
  EXPECT_EQ(count_added("/apis/resource.k8s.io/v1/resourceslices"), 3U);
  EXPECT_EQ(count_added("/apis/resource.k8s.io/v1/deviceclasses"), 0U);
  EXPECT_THAT(ask(http::Method::get, std::string(kPods) + kInitialEvents).body,
              HasSubstr(R"("name":"trainer-0000023","namespace":"team-03")"));
}

TEST_F(CrowdTest, answers_for_named_object_as_it_was_shown) {
  const std::string path = "/api/v1/namespaces/team-01/pods/trainer-0000001";
  EXPECT_THAT(ask(http::Method::get, path).body,
              HasSubstr(R"("uid":"00000000-0000-4000-8000-000000000001")"));
  EXPECT_EQ(count_added(kPods), 24U) << "once";
  EXPECT_EQ(ask(http::Method::get, "/api/v1/namespaces/team-02/pods/trainer-0000001").status, 404);
  EXPECT_EQ(ask(http::Method::get, "/api/v1/namespaces/team-04/pods/trainer-0000024").status, 404);
}

TEST_F(CrowdTest, forgets_deleted_object) {
  const std::string path = "/apis/resource.k8s.io/v1/resourceslices/node-000002-gpu.example.com";
  EXPECT_EQ(ask(http::Method::delete_, path).status, 200);
  EXPECT_EQ(ask(http::Method::get, path).status, 404);
  EXPECT_EQ(count_added("/apis/resource.k8s.io/v1/resourceslices"), 2U);
}

}  // namespace
}  // namespace dcm::bench
