#include "runtime/http/names.hpp"

#include <gmock/gmock.h>

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::http {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;
using runtime::TaskGroup;

// An address of one number.
Addresses at(std::uint32_t number) {
  return {{boost::asio::ip::address_v4(number), 443}};
}

// A name server, whose answers a test gives.
class FakeServer {
 public:
  explicit FakeServer(runtime::TimeSource& time)
      : names(time, [this](const std::string& host, std::uint16_t /*port*/, Names::Done done) {
          asked.push_back(host);
          done_ = std::move(done);
          if (answers_at_once) answer(*answers_at_once);
        }) {}

  void answer(Result<Addresses> with) { std::exchange(done_, {})(std::move(with)); }

  Names names;
  std::vector<std::string> asked;
  std::optional<Result<Addresses>> answers_at_once;

 private:
  Names::Done done_;
};

Result<Addresses> no_answer() {
  return runtime::fail(Reason::unreachable, "SERVFAIL");
}

// Looks `host` up within `patience`, into `found`.
Task<> find(FakeServer& server, runtime::TimeSource& time, runtime::Duration patience,
            Result<Addresses>& found) {
  found = co_await server.names.find("api", 443, Deadline::after(time, patience));
}

CO_TEST(Names, returns_answer) {
  FakeServer server(loop.time());
  server.answers_at_once = at(1);
  const auto found = co_await server.names.find("api", 443, {});
  EXPECT_EQ(found, at(1));
  server.answers_at_once = at(2);
  const auto later = co_await server.names.find("api", 443, {});
  EXPECT_EQ(later, at(2));
  EXPECT_EQ(server.asked.size(), 2U);
}

CO_TEST(Names, fails_without_earlier_addresses) {
  FakeServer server(loop.time());
  server.answers_at_once = no_answer();
  const auto refused = co_await server.names.find("api", 443, {});
  CO_ASSERT_TRUE(!refused);
  EXPECT_EQ(refused.error().message, "SERVFAIL");
  server.answers_at_once.reset();
  const auto silent = co_await server.names.find("api", 443, Deadline::after(loop.time(), 5s));
  CO_ASSERT_TRUE(!silent);
  EXPECT_EQ(silent.error().reason, Reason::deadline_exceeded);
}

CO_TEST(Names, returns_last_addresses_if_server_fails) {
  FakeServer server(loop.time());
  server.answers_at_once = at(1);
  const auto found = co_await server.names.find("api", 443, {});
  EXPECT_EQ(found, at(1));
  for (int i = 0; i < 2; ++i) {
    server.answers_at_once = no_answer();
    const auto last = co_await server.names.find("api", 443, {});
    EXPECT_EQ(last, at(1));
  }
}

CO_TEST(Names, returns_last_addresses_if_server_is_silent) {
  FakeServer server(loop.time());
  server.answers_at_once = at(1);
  const auto found = co_await server.names.find("api", 443, {});
  EXPECT_EQ(found, at(1));
  server.answers_at_once.reset();
  const runtime::MonoTime start = loop.time().now();
  const auto last = co_await server.names.find("api", 443, Deadline::after(loop.time(), 10s));
  EXPECT_EQ(last, at(1));
  EXPECT_EQ(loop.time().now() - start, 5s);
}

CO_TEST(Names, keeps_late_answer_for_next_call) {
  FakeServer server(loop.time());
  server.answers_at_once = at(1);
  const auto found = co_await server.names.find("api", 443, {});
  EXPECT_EQ(found, at(1));
  server.answers_at_once.reset();
  const auto last = co_await server.names.find("api", 443, Deadline::after(loop.time(), 10s));
  EXPECT_EQ(last, at(1));
  server.answer(at(2));
  const auto next = co_await server.names.find("api", 443, Deadline::after(loop.time(), 10s));
  EXPECT_EQ(next, at(2)) << "though the look-up of this call is silent as well";
}

CO_TEST(Names, asks_once_for_several_callers) {
  FakeServer server(loop.time());
  Result<Addresses> a = no_answer();
  Result<Addresses> b = no_answer();
  TaskGroup group(loop.executor());
  group.spawn("a", find(server, loop.time(), 1s, a));
  co_await runtime::sleep_for(loop.time(), 2s);
  EXPECT_EQ(a.error().reason, Reason::deadline_exceeded);
  group.spawn("b", find(server, loop.time(), 3s, b));
  co_await runtime::sleep_for(loop.time(), 1s);
  server.answer(at(1));
  co_await group.join();
  EXPECT_EQ(b, at(1));
  EXPECT_EQ(server.asked.size(), 1U);
}

// An answer that comes when all is over.
CO_TEST(Names, may_end_before_its_look_up) {
  Names::Done done;
  {
    Names names(loop.time(),
                [&done](const std::string&, std::uint16_t, Names::Done late) { done = late; });
    const auto silent = co_await names.find("api", 443, Deadline::after(loop.time(), 5s));
    EXPECT_FALSE(silent);
  }
  done(at(1));
}

}  // namespace
}  // namespace dcm::http
