// From the command line to the exit status.
#include "manager/program.hpp"

#include <stdexcept>

#include <gmock/gmock.h>

#include "test/unit/client_config/files.hpp"

namespace dcm::manager {
namespace {

TEST(RunProgram, tells_why_its_controllers_cannot_be_added) {
  client::TempFolder folder;
  const std::string kubeconfig = folder.write(
      "config", R"({"clusters":[{"name":"c","cluster":{"server":"http://127.0.0.1:1"}}],)"
                R"("contexts":[{"name":"x","context":{"cluster":"c"}}],"current-context":"x"})");
  const std::string flag = "--kubeconfig=" + kubeconfig;
  const char* const words[] = {"tested", flag.c_str(), "--metrics-bind-address=127.0.0.1:0"};
  testing::internal::CaptureStderr();
  const int status = run_program(3, words, {.name = "tested"}, [](ControllerManager&) {
    throw std::invalid_argument("there are two\ncaches");
  });
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::EndsWith("\ntested: there are two caches\n"));
  EXPECT_EQ(status, 3);
}

}  // namespace
}  // namespace dcm::manager
