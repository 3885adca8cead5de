#include "runtime/file_name.hpp"

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

using namespace std::string_literals;

TEST(FileName, accepts_kubernetes_object_names) {
  for (const std::string& name : {"5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11"s, "gpu.example.com"s,
                                  "..."s, ".hidden"s, "a b"s, "é"s, std::string(255, 'x')}) {
    const auto parsed = FileName::parse("name", name);
    ASSERT_TRUE(parsed) << name;
    EXPECT_EQ(parsed->str(), name);
    EXPECT_EQ(parsed->in("/folder"), "/folder/" + name);
  }
}

struct Refused {
  const char* sentence;
  std::string name;
  const char* error;
};

TEST(FileName, rejects_names_that_lead_elsewhere) {
  const Refused rows[] = {
      {"the parent's", "../../../x", "contains a slash"},
      {"an absolute path", "/etc", "contains a slash"},
      {"a path below", "a/b", "contains a slash"},
      {"a trailing slash", "a/", "contains a slash"},
      {"a slash alone", "/", "contains a slash"},
      {"nothing", "", "is empty"},
      {"the folder itself", ".", "names a folder"},
      {"the folder above", "..", "names a folder"},
      {"a NUL, at which the system would stop reading", "..\0x"s, "contains a control character"},
      {"a line break", "a\nb", "contains a control character"},
      {"300 characters", std::string(300, 'x'), "is longer than 255 bytes"},
  };
  for (const Refused& row : rows) {
    const auto parsed = FileName::parse("pod UID", row.name);
    ASSERT_FALSE(parsed) << row.sentence;
    EXPECT_EQ(parsed.error().reason, Reason::configuration);
    EXPECT_TRUE(parsed.error().message.starts_with("pod UID \"")) << parsed.error().message;
    EXPECT_TRUE(parsed.error().message.ends_with(row.error)) << row.sentence;
    EXPECT_LT(parsed.error().message.size(), 200U) << row.sentence;
  }
}

}  // namespace
}  // namespace dcm::runtime
