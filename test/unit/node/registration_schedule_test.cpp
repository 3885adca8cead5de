// Which sockets are registered and unregistered, and when. Numbers in brackets are the cases of the
// node's specification.
#include "node/plugins/registration_schedule.hpp"

#include <gtest/gtest.h>

namespace dcm::node {
namespace {

using namespace std::chrono_literals;
using Step = RegistrationSchedule::Step;
using Work = RegistrationSchedule::Work;

runtime::MonoTime at(runtime::Duration time) {
  return runtime::MonoTime(time);
}

TEST(RegistrationSchedule, registers_socket_once) {  // [1]
  RegistrationSchedule sockets;
  sockets.observe_created("/a");
  EXPECT_EQ(sockets.begin_due(at(0s)), (Step{.to_unregister = {}, .to_register = {{"/a", 1}}}));
  EXPECT_EQ(sockets.begin_due(at(1s)), Step()) << "one operation at a time";
  sockets.finish_register({"/a", 1}, SocketOutcome::done, at(1s));
  EXPECT_EQ(sockets.begin_due(at(2s)), Step());
}

TEST(RegistrationSchedule, unregisters_removed_socket) {  // [22]
  RegistrationSchedule sockets;
  sockets.observe_created("/a");
  (void)sockets.begin_due(at(0s));
  sockets.finish_register({"/a", 1}, SocketOutcome::done, at(0s));
  sockets.observe_removed("/a");
  EXPECT_EQ(sockets.begin_due(at(1s)), (Step{.to_unregister = {{"/a", 1}}, .to_register = {}}));
  sockets.finish_unregister({"/a", 1});
  EXPECT_EQ(sockets.begin_due(at(2s)), Step());
}

TEST(RegistrationSchedule, unregisters_recreated_socket_first) {  // [21]
  RegistrationSchedule sockets;
  sockets.observe_created("/a");
  (void)sockets.begin_due(at(0s));
  sockets.finish_register({"/a", 1}, SocketOutcome::done, at(0s));
  sockets.observe_removed("/a");
  sockets.observe_created("/a");
  EXPECT_EQ(sockets.begin_due(at(1s)), (Step{.to_unregister = {{"/a", 1}}, .to_register = {}}));
  sockets.finish_unregister({"/a", 1});
  EXPECT_EQ(sockets.begin_due(at(1s)), (Step{.to_unregister = {}, .to_register = {{"/a", 2}}}));
}

TEST(RegistrationSchedule, backs_off_after_failures) {  // [15]
  RegistrationSchedule sockets;
  sockets.observe_created("/a");
  runtime::Duration now = 0s;
  std::vector<runtime::Duration> waits;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(sockets.begin_due(at(now)).to_register.size(), 1U);
    sockets.finish_register({"/a", 1}, SocketOutcome::failed, at(now));
    const Step step = sockets.begin_due(at(now));
    ASSERT_TRUE(step.next);
    EXPECT_TRUE(step.to_register.empty());
    waits.push_back(*step.next - at(now));
    now = step.next->time_since_epoch();
  }
  EXPECT_EQ(waits,
            (std::vector<runtime::Duration>{500ms, 1s, 2s, 4s, 8s, 16s, 32s, 64s, 122s, 122s}));
}

TEST(RegistrationSchedule, starts_new_socket_without_old_backoff) {  // [17]
  RegistrationSchedule sockets;
  sockets.observe_created("/a");
  (void)sockets.begin_due(at(0s));
  sockets.finish_register({"/a", 1}, SocketOutcome::failed, at(0s));
  sockets.observe_created("/a");
  EXPECT_EQ(sockets.begin_due(at(0s)), (Step{.to_unregister = {}, .to_register = {{"/a", 2}}}));
  sockets.finish_register({"/a", 2}, SocketOutcome::failed, at(0s));
  EXPECT_EQ(sockets.begin_due(at(0s)).next, at(500ms)) << "and begins at the shortest";
}

TEST(RegistrationSchedule, ignores_foreign_socket_until_it_changes) {  // [9]
  RegistrationSchedule sockets;
  sockets.observe_created("/a");
  (void)sockets.begin_due(at(0s));
  sockets.finish_register({"/a", 1}, SocketOutcome::refused, at(0s));
  EXPECT_EQ(sockets.begin_due(at(1h)), Step());
  sockets.observe_created("/a");
  EXPECT_EQ(sockets.begin_due(at(1h)).to_register.size(), 1U);
}

TEST(RegistrationSchedule, handles_socket_that_disappears_during_work) {
  RegistrationSchedule sockets;
  sockets.observe_created("/a");
  sockets.observe_created("/b");
  EXPECT_EQ(sockets.begin_due(at(0s)).to_register.size(), 2U) << "paths do not wait for each other";
  sockets.observe_removed("/a");
  sockets.observe_removed("/b");
  sockets.finish_register({"/a", 1}, SocketOutcome::done, at(0s));
  sockets.finish_register({"/b", 2}, SocketOutcome::failed, at(0s));
  EXPECT_EQ(sockets.begin_due(at(1h)), (Step{.to_unregister = {{"/a", 1}}, .to_register = {}}));
  sockets.observe_removed("/never-seen");
}

}  // namespace
}  // namespace dcm::node
