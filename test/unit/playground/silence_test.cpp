#include "playground/cluster/silence.hpp"

#include <gmock/gmock.h>

#include "test/support/co_test.hpp"

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

class Lines {
 public:
  explicit Lines(runtime::TimeSource& time)
      : backend_(std::make_shared<runtime::LogBackend>(
            time, runtime::LogFormat::text,
            [this](runtime::Severity, std::string_view line) { text_ += line; })) {}

  runtime::Logger log() const { return runtime::Logger(backend_); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::shared_ptr<runtime::LogBackend> backend_;
};

CO_TEST(Silence, is_reported_with_expected_driver_folder) {
  Lines lines(loop.time());
  co_await warn_of_silence(loop.time(), lines.log(), "/k/plugins_registry", [] { return false; });
  EXPECT_THAT(lines.text(), HasSubstr("No DRA driver has registered yet"));
  EXPECT_THAT(lines.text(), HasSubstr("/k/plugins_registry"));
}

CO_TEST(Silence, is_not_reported_if_driver_registers_in_time) {
  Lines lines(loop.time());
  const auto comes_at = loop.time().now() + 29s;
  co_await warn_of_silence(loop.time(), lines.log(), "/k/plugins_registry",
                           [&] { return loop.time().now() >= comes_at; });
  EXPECT_THAT(lines.text(), IsEmpty());
}

}  // namespace
}  // namespace dcm::playground
