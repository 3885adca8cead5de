// The flags of a driver's program.
#include "node/driver_kit/program.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace dcm::driver_kit {
namespace {

struct Read {
  explicit Read(std::vector<const char*> words) {
    words.insert(words.begin(), "driver");
    for (const char* name : {"NODE_NAME", "POD_UID"}) ::unsetenv(name);
    flags = read_flags(static_cast<int>(words.size()), words.data(), {{"gpus", "2"}}, program);
  }
  DriverProgram program{.plugin = {.driver = "gpu.example.com"}};
  runtime::Result<DriverFlags> flags;
};

TEST(ReadFlags, knows_flags_of_kit_and_author) {
  const Read read({"--node-name=n0", "--gpus", "7", "--kubelet-plugins-directory-path", "/plugins",
                   "--kubelet-registrar-directory-path", "/registry", "--cdi-root", "/cdi",
                   "--pod-uid", "u", "--kubeconfig", "/config"});
  ASSERT_TRUE(read.flags) << read.flags.error().message;
  EXPECT_EQ(read.flags->at("gpus"), "7");
  EXPECT_EQ(read.program.node, "n0");
  EXPECT_EQ(read.program.plugin.data, "/plugins/gpu.example.com");
  EXPECT_EQ(read.program.plugin.registry, "/registry");
  EXPECT_EQ(read.program.plugin.cdi, "/cdi");
  EXPECT_EQ(read.program.plugin.pod_uid, "u");
  EXPECT_EQ(read.program.cluster.kubeconfig, "/config");
}

TEST(ReadFlags, keeps_defaults) {
  const Read read({"--node-name", "n0"});
  ASSERT_TRUE(read.flags);
  EXPECT_EQ(read.flags->at("gpus"), "2");
  EXPECT_EQ(read.program.plugin.data, "");
  EXPECT_EQ(read.program.plugin.cdi, "/var/run/cdi");
}

TEST(ReadFlags, names_unknown_flags) {
  EXPECT_EQ(Read({}).flags.error().message, "--node-name is missing");
  EXPECT_EQ(Read({"--gpu", "7"}).flags.error().message, "--gpu is no flag");
  EXPECT_EQ(Read({"--gpus"}).flags.error().message, "--gpus needs a value");
  EXPECT_EQ(Read({"gpus=7"}).flags.error().message, "gpus=7: expected a flag");
}

}  // namespace
}  // namespace dcm::driver_kit
