#include "client/auth/credentials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "client/auth/impersonation.hpp"
#include "runtime/loop.hpp"
#include "test/unit/client_config/files.hpp"

namespace dcm::client {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Refreshed = Credentials::Refreshed;

class MakeCredentials : public FilesTest {
 protected:
  std::unique_ptr<Credentials> make(const ClusterConfig& config) {
    return make_credentials(config, {loop_.time(), runtime::Logger(backend_)});
  }
  // The header that a request gets, "(none)", or the error's message.
  std::string authorization(Credentials& credentials) {
    http::Headers headers;
    runtime::Result<> result;
    loop_.run(authorize(credentials, headers, result));
    if (!result) return result.error().message;
    return std::string(headers.find("authorization").value_or("(none)"));
  }
  Refreshed refresh(Credentials& credentials, const std::string& rejected) {
    Refreshed refreshed{};
    loop_.run(refresh_into(credentials, rejected, refreshed));
    return refreshed;
  }

  runtime::VirtualLoop loop_;
  std::vector<std::string> logged_;
  std::shared_ptr<runtime::LogBackend> backend_ = std::make_shared<runtime::LogBackend>(
      loop_.time(), runtime::LogFormat::text,
      [this](runtime::Severity, std::string_view line) { logged_.emplace_back(line); });

 private:
  // References outlive the run() that awaits these.
  static runtime::Task<> authorize(Credentials& credentials, http::Headers& headers,
                                   runtime::Result<>& result) {
    result = co_await credentials.authorize(headers, runtime::Deadline());
  }
  static runtime::Task<> refresh_into(Credentials& credentials, std::string rejected,
                                      Refreshed& refreshed) {
    refreshed = co_await credentials.refresh(rejected, runtime::Deadline());
  }
};

// Opening one waits for a writer, and would block the loop.
TEST_F(MakeCredentials, rejects_fifo_as_token_file) {
  TempFolder folder;
  const std::string file = folder.path("token");
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  ClusterConfig config;
  config.token_file = file;
  const auto credentials = make(config);
  EXPECT_EQ(authorization(*credentials), file + ": is not a regular file");
}

TEST_F(MakeCredentials, sends_no_header_without_credentials) {
  const auto credentials = make({});
  EXPECT_EQ(authorization(*credentials), "(none)");
  EXPECT_EQ(refresh(*credentials, ""), Refreshed::no);
}

TEST_F(MakeCredentials, sends_token_as_bearer) {
  ClusterConfig config;
  config.token = "abc";
  const auto credentials = make(config);
  EXPECT_EQ(authorization(*credentials), "Bearer abc");
  EXPECT_EQ(refresh(*credentials, "Bearer abc"), Refreshed::no);
}

// The example of RFC 7617, section 2.
TEST_F(MakeCredentials, sends_password_as_basic) {
  ClusterConfig config;
  config.username = "Aladdin";
  config.password = "open sesame";
  const auto credentials = make(config);
  EXPECT_EQ(authorization(*credentials), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST_F(MakeCredentials, sends_impersonated_user_in_separate_headers) {
  ClusterConfig config;
  config.token = "abc";
  config.impersonation = {.user = "ada",
                          .uid = "7",
                          .groups = {"dev", "ops"},
                          .extra = {{"Example.com/Scope", {"a", "b"}}}};
  const auto credentials = make(config);
  EXPECT_EQ(authorization(*credentials), "Bearer abc");
  http::Headers headers;
  impersonate(config.impersonation, headers);
  const std::vector<std::pair<std::string, std::string>> fields(headers.begin(), headers.end());
  EXPECT_THAT(
      fields,
      ::testing::ElementsAre(
          ::testing::Pair("Impersonate-User", "ada"), ::testing::Pair("Impersonate-Uid", "7"),
          ::testing::Pair("Impersonate-Group", "dev"), ::testing::Pair("Impersonate-Group", "ops"),
          ::testing::Pair("Impersonate-Extra-example.com%2Fscope", "a"),
          ::testing::Pair("Impersonate-Extra-example.com%2Fscope", "b")));
}

class TokenFileCredentials : public MakeCredentials {
 protected:
  TokenFileCredentials() {
    ClusterConfig config;
    config.token_file = path("token");
    credentials_ = make(config);
  }
  std::string authorization() { return MakeCredentials::authorization(*credentials_); }
  Refreshed refresh(const std::string& rejected) {
    return MakeCredentials::refresh(*credentials_, rejected);
  }

  std::unique_ptr<Credentials> credentials_;
};

TEST_F(TokenFileCredentials, strips_line_end_of_token) {
  write("token", "abc\r\n");
  EXPECT_EQ(authorization(), "Bearer abc");
}

TEST_F(TokenFileCredentials, reads_file_again_after_a_minute) {
  write("token", "one");
  EXPECT_EQ(authorization(), "Bearer one");
  write("token", "two");
  loop_.run_for(59s);
  EXPECT_EQ(authorization(), "Bearer one");
  loop_.run_for(1s);
  EXPECT_EQ(authorization(), "Bearer two");
}

TEST_F(TokenFileCredentials, reads_file_again_after_refusal) {
  write("token", "one");
  EXPECT_EQ(authorization(), "Bearer one");
  EXPECT_EQ(refresh("Bearer one"), Refreshed::no);
  write("token", "two");
  EXPECT_EQ(refresh("Bearer one"), Refreshed::yes);
  EXPECT_EQ(authorization(), "Bearer two");
  // The same for a request that was sent with the old token.
  EXPECT_EQ(refresh("Bearer one"), Refreshed::yes);
  EXPECT_EQ(refresh("Bearer two"), Refreshed::no);
}

TEST_F(TokenFileCredentials, hides_content_of_invalid_token) {
  EXPECT_EQ(authorization(), path("token") + ": cannot be read: No such file or directory");
  EXPECT_EQ(refresh(""), Refreshed::no);
  write("token", " \n");
  EXPECT_EQ(authorization(), path("token") + ": empty; expected a token");
  write("token", "SECRET\nX-Evil: SECRET\n");
  EXPECT_EQ(authorization(),
            path("token") + ": does not hold a token, but several lines or binary data");
  write("token", "abc");
  EXPECT_EQ(authorization(), "Bearer abc");
}

TEST_F(MakeCredentials, uses_token_until_token_file_exists) {
  ClusterConfig config;
  config.token = "given";
  config.token_file = path("token");
  const auto credentials = make(config);
  EXPECT_EQ(authorization(*credentials), "Bearer given");
  write("token", "of the file");
  loop_.run_for(1min);
  EXPECT_EQ(authorization(*credentials), "Bearer of the file");
}

TEST_F(TokenFileCredentials, keeps_last_token_while_file_is_broken) {
  write("token", "one");
  EXPECT_EQ(authorization(), "Bearer one");
  write("token", "");
  for (int minute = 0; minute < 5; ++minute) {
    loop_.run_for(1min);
    EXPECT_EQ(authorization(), "Bearer one");
  }
  ASSERT_EQ(logged_.size(), 1U);
  EXPECT_THAT(logged_[0], HasSubstr("empty; expected a token"));
  EXPECT_EQ(refresh("Bearer one"), Refreshed::no);
}

}  // namespace
}  // namespace dcm::client
