// When a request is answered, delayed, given up and deleted: the controller with bare stores and an
// API with scripted answers, on virtual time.
#include "controllers/resource_pool_status/controller.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "test/unit/resource_pool_status/pools.hpp"

namespace dcm::resource_pool_status {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Request = api::ResourcePoolStatusRequest;

runtime::Error refusal(Reason reason, std::string message = "no") {
  return {.reason = reason, .message = std::move(message), .http_status = 403};
}

// Answers at once. Writes go to the store, as the watch would deliver them.
class FakeApi final : public PoolStatusApi {
 public:
  Task<Result<PoolInputs>> read(PoolFilter filter) override {
    reads.push_back(filter.driver.str());
    if (read_error) co_return std::unexpected(*read_error);
    PoolInputs read{.slices = inputs.slices, .usage = inputs.usage, .rules = inputs.rules};
    if (after_read) std::exchange(after_read, nullptr)();
    co_return read;
  }
  Task<Result<RequestPtr>> write_status(RequestPtr request, api::PoolStatusAnswer answer) override {
    writes.push_back(request->meta.key.name + ": " + answer.message);
    if (write_error) co_return std::unexpected(*write_error);
    if (refuses_generation_0 && answer.pools.at(0).generation == 0) {
      co_return std::unexpected(
          runtime::Error{.reason = Reason::invalid,
                         .message = "invalid",
                         .http_status = 422,
                         .causes = {{"status.pools[0].generation", "Required value"}}});
    }
    Request written = *request;
    written.meta.resource_version = api::ResourceVersion(std::to_string(++version));
    written.has_status = true;
    written.answered = answer.time;
    co_return RequestPtr(std::move(written));
  }
  Task<Result<>> remove(RequestPtr request) override {
    removed.push_back(request->meta.key.name + " " + request->meta.uid.str());
    co_return Result<>();
  }

  PoolInputs& inputs;
  std::optional<runtime::Error> read_error = {};
  std::optional<runtime::Error> write_error = {};
  std::function<void()> after_read = nullptr;  // once, before the answer is delivered
  bool refuses_generation_0 = false;
  std::vector<std::string> reads = {};
  std::vector<std::string> writes = {};
  std::vector<std::string> removed = {};
  int version = 1000;

  explicit FakeApi(PoolInputs& what_is_read) : inputs(what_is_read) {}
};

class ControllerTest : public testing::Test {
 protected:
  ControllerTest() {
    controller_.observe(requests_, slices_);
    request_writer_.begin_relist();
    request_writer_.end_relist({});
  }
  ~ControllerTest() override {
    controller_.stop();
    loop_.run_for(1s);
    tasks_.cancel();
    loop_.run_for(1s);
  }

  void start() {
    tasks_.spawn("controller", controller_.run());
    loop_.run_for(1s);
  }
  void ask(const std::string& name, const std::string& uid = "u", const std::string& driver = "d") {
    Request request;
    request.meta.key.name = name;
    request.meta.uid = api::Uid(uid);
    request.meta.resource_version = api::ResourceVersion(std::to_string(++version_));
    request.driver = driver;
    request.created = loop_.time().wall_now();
    const api::ObjectMeta meta = request.meta;
    request_writer_.observe_change(api::ChangeType::added, {meta, RequestPtr(std::move(request))});
  }
  bool is_answered(const std::string& name) {
    return requests_.reader().get({{}, name})->has_status;
  }
  void publish(const std::string& driver) {
    api::ResourceSlice slice;
    slice.meta.key.name = fmt::format("slice-{}", ++version_);
    slice.meta.uid = api::Uid(slice.meta.key.name.view());
    slice.meta.resource_version = api::ResourceVersion(std::to_string(version_));
    slice.driver = driver;
    const api::ObjectMeta meta = slice.meta;
    slice_writer_.observe_change(api::ChangeType::added, {meta, api::ObjectPtr(std::move(slice))});
  }
  Pools& one_of_two_slices() {
    return pools_.slice("a", "'pool': {'name': 'p', 'generation': 1, 'resourceSliceCount': 2}");
  }
  Pools& second_slice() {
    return pools_.slice("b", "'pool': {'name': 'p', 'generation': 1, 'resourceSliceCount': 2}");
  }

  runtime::VirtualLoop loop_;
  runtime::MetricsRegistry metrics_;
  Pools pools_;
  FakeApi api_{pools_.inputs};
  informers::Store<Request> requests_;
  informers::StoreWriter<Request> request_writer_ = requests_.take_writer();
  informers::Store<api::ResourceSlice> slices_;
  informers::StoreWriter<api::ResourceSlice> slice_writer_ = slices_.take_writer();
  Controller controller_{{.requests = requests_.reader(),
                          .own_requests = requests_.own_writes(),
                          .api = api_,
                          .time = loop_.time(),
                          .metrics = metrics_,
                          .log = {}}};
  runtime::TaskGroup tasks_{loop_.executor()};
  int version_ = 0;
};

TEST_F(ControllerTest, answers_each_request_once) {
  start();
  ask("r");
  loop_.run_for(10min);
  EXPECT_TRUE(is_answered("r"));
  EXPECT_THAT(api_.writes, ElementsAre("r: Calculated status for 0 pools"));
}

TEST_F(ControllerTest, answers_requests_older_than_its_start) {
  ask("r");
  start();
  EXPECT_TRUE(is_answered("r"));
}

TEST_F(ControllerTest, does_nothing_on_standby) {
  ask("r");
  loop_.run_for(48h);
  EXPECT_THAT(api_.reads, IsEmpty());
  EXPECT_THAT(api_.removed, IsEmpty());
}

// ---- slices that are missing --------------------------------------------------------------------

TEST_F(ControllerTest, answers_once_missing_slice_appears) {
  one_of_two_slices();
  start();
  ask("r");
  loop_.run_for(10s);
  EXPECT_EQ(api_.reads.size(), 1U);
  second_slice();
  publish("d");
  loop_.run_for(2s);
  EXPECT_THAT(api_.writes, ElementsAre("r: Calculated status for 1 pools"));
}

TEST_F(ControllerTest, notices_slice_that_appears_while_it_reads) {
  one_of_two_slices();
  api_.after_read = [this] {
    second_slice();
    publish("d");
  };
  start();
  ask("r");
  loop_.run_for(2s);
  EXPECT_TRUE(is_answered("r"));
}

TEST_F(ControllerTest, decides_once_for_a_burst_of_slices) {
  one_of_two_slices();
  start();
  ask("r");
  loop_.run_for(1s);
  for (int i = 0; i < 100; ++i) publish("d");
  loop_.run_for(5s);
  EXPECT_EQ(api_.reads.size(), 2U);
}

TEST_F(ControllerTest, ignores_slices_of_other_drivers) {
  one_of_two_slices();
  start();
  ask("r");
  loop_.run_for(1s);
  publish("e");
  loop_.run_for(5s);
  EXPECT_EQ(api_.reads.size(), 1U);
}

TEST_F(ControllerTest, reports_missing_slices_after_half_a_minute) {
  one_of_two_slices();
  start();
  ask("r");
  loop_.run_for(29s);
  EXPECT_THAT(api_.writes, IsEmpty());
  loop_.run_for(2s);
  EXPECT_THAT(api_.writes, ElementsAre("r: Calculated status for 1 pools (1 incomplete)"));
}

// ---- what fails ---------------------------------------------------------------------------------

TEST_F(ControllerTest, fails_request_after_five_minutes_of_refusals) {
  api_.read_error = refusal(Reason::forbidden, "ResourceClaims: no");
  start();
  ask("r");
  loop_.run_for(4min);
  EXPECT_THAT(api_.writes, IsEmpty());
  loop_.run_for(20min);
  EXPECT_THAT(api_.writes, ElementsAre("r: Failed to list ResourceClaims: no"));
}

TEST_F(ControllerTest, concludes_nothing_while_no_server_answers) {
  api_.read_error = runtime::Error{.reason = Reason::unreachable, .message = "no route"};
  start();
  ask("r");
  loop_.run_for(3h);
  EXPECT_THAT(api_.writes, IsEmpty());
  api_.read_error.reset();
  controller_.retry_now();
  loop_.run_for(1s);
  EXPECT_TRUE(is_answered("r"));
}

TEST_F(ControllerTest, retries_refused_write) {
  api_.write_error = refusal(Reason::internal_error);
  start();
  ask("r");
  loop_.run_for(1min);
  EXPECT_GT(api_.writes.size(), 1U);
  EXPECT_LT(api_.writes.size(), 30U);
  api_.write_error.reset();
  loop_.run_for(2min);
  EXPECT_TRUE(is_answered("r"));
}

TEST_F(ControllerTest, retries_conflict_that_no_change_follows) {
  api_.write_error = refusal(Reason::conflict);
  start();
  ask("r");
  loop_.run_for(1min);
  EXPECT_LT(api_.writes.size(), 30U);
  api_.write_error.reset();
  loop_.run_for(2min);
  EXPECT_TRUE(is_answered("r"));
}

TEST_F(ControllerTest, lets_drivers_take_turns) {
  for (int i = 0; i < 100; ++i) ask("r" + std::to_string(i));
  ask("last", "u", "e");
  start();
  EXPECT_LT(std::ranges::find(api_.reads, "e") - api_.reads.begin(), 3);
  EXPECT_EQ(api_.reads.size(), 101U);
}

TEST_F(ControllerTest, answers_request_made_again_for_another_driver) {
  start();
  one_of_two_slices();
  ask("r");
  loop_.run_for(2s);
  second_slice();
  ask("r", "u2", "e");
  loop_.run_for(2s);
  EXPECT_THAT(api_.reads, ElementsAre("d", "e"));
  EXPECT_TRUE(is_answered("r"));
}

// Drivers publish most pools of one slice in generation 0, which API servers up to 1.37 refuse.
TEST_F(ControllerTest, shows_generation_0_as_1_after_refusal) {
  pools_.slice("a", "'pool': {'name': 'p', 'generation': 0, 'resourceSliceCount': 1}");
  api_.refuses_generation_0 = true;
  start();
  ask("r");
  ask("s");
  loop_.run_for(1s);
  const std::string shown =
      "Calculated status for 1 pools; generation 0 is shown as 1, the lowest that the API server "
      "accepts";
  EXPECT_THAT(api_.writes,
              ElementsAre("r: Calculated status for 1 pools", "r: " + shown, "s: " + shown));
}

TEST_F(ControllerTest, shows_generation_0_if_server_accepts_it) {
  pools_.slice("a", "'pool': {'name': 'p', 'generation': 0, 'resourceSliceCount': 1}");
  start();
  ask("r");
  loop_.run_for(1s);
  EXPECT_THAT(api_.writes, ElementsAre("r: Calculated status for 1 pools"));
}

TEST_F(ControllerTest, answers_new_request_of_same_name) {
  one_of_two_slices();
  start();
  ask("r");
  loop_.run_for(20s);
  ask("r", "another");
  loop_.run_for(20s);
  EXPECT_THAT(api_.writes, IsEmpty()) << "its wait starts again";
  loop_.run_for(11s);
  EXPECT_EQ(api_.writes.size(), 1U);
}

TEST_F(ControllerTest, counts_writes_by_driver) {
  api_.write_error = refusal(Reason::internal_error);
  start();
  ask("r");
  loop_.run_for(1s);
  api_.write_error.reset();
  loop_.run_for(5min);
  const std::string text = metrics_.expose();
  EXPECT_THAT(text, HasSubstr("resourcepoolstatusrequest_controller_request_processing_errors_total"
                              "{driver_name=\"d\"}"));
  EXPECT_THAT(text, HasSubstr("request_processing_duration_seconds_bucket{driver_name=\"d\","
                              "le=\"16.384\"}"));
}

// ---- clean-up -----------------------------------------------------------------------------------

TEST_F(ControllerTest, deletes_answered_request_after_an_hour) {
  start();
  ask("r");
  loop_.run_for(59min);
  EXPECT_THAT(api_.removed, IsEmpty());
  loop_.run_for(12min);
  EXPECT_THAT(api_.removed, testing::Contains("r u"));
}

TEST_F(ControllerTest, deletes_pending_request_after_a_day) {
  api_.write_error = refusal(Reason::internal_error);
  start();
  ask("r");
  loop_.run_for(23h);
  EXPECT_THAT(api_.removed, IsEmpty());
  loop_.run_for(75min);
  EXPECT_THAT(api_.removed, testing::Contains("r u"));
}

}  // namespace
}  // namespace dcm::resource_pool_status
