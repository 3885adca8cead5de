// The handshake of SOCKS 5, message by message, without I/O.
#include "runtime/http/socks5.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dcm::http {
namespace {

using runtime::Reason;
using testing::HasSubstr;

template <std::size_t N>
std::string bytes(const char (&text)[N]) {
  return {text, N - 1};
}

// What a client sends for the answers of a proxy, which arrive `piece` bytes at a time.
struct Conversation {
  std::vector<std::string> sent;
  std::optional<runtime::Error> error;
  bool is_done = false;
  std::size_t left = 0;  // of the answers, which belongs to the tunnel
};

Conversation talk(const Endpoint& target, const std::optional<UrlUser>& user,
                  std::string_view answers, std::size_t piece = 1000) {
  Conversation conversation;
  Socks5Handshake handshake(target, user);
  Result<std::string> step = handshake.begin();
  while (step) {
    if (!step->empty()) conversation.sent.push_back(*step);
    if (handshake.is_done() || answers.empty()) break;
    const std::string_view next = answers.substr(0, std::min(piece, handshake.wanted()));
    answers.remove_prefix(next.size());
    step = handshake.take(next);
  }
  if (!step) conversation.error = step.error();
  conversation.is_done = handshake.is_done();
  conversation.left = answers.size();
  return conversation;
}

const Endpoint kTarget{Security::tls, "api", 443};
const UrlUser kAda{"ada", "pw"};
const std::string kConnectToApi = bytes("\5\1\0\3\3api\1\xbb");

struct Row {
  const char* name;
  Endpoint target;
  std::optional<UrlUser> user;
  std::string answers;
  std::vector<std::string> sent;
};

TEST(Socks5Handshake, opens_tunnel) {
  const std::string no_authentication = bytes("\5\0");
  const std::string connected = bytes("\5\0\0\1\1\2\3\4\5\6");
  for (const Row& row : {
           Row{"a name",
               kTarget,
               {},
               no_authentication + connected,
               {bytes("\5\1\0"), kConnectToApi}},
           Row{"an IPv4 address",
               {Security::tls, "10.0.0.1", 6443},
               {},
               no_authentication + connected,
               {bytes("\5\1\0"), bytes("\5\1\0\1\x0a\0\0\1\x19\x2b")}},
           Row{"an IPv6 address",
               {Security::tls, "fd00::1", 1},
               {},
               no_authentication + connected,
               {bytes("\5\1\0"), bytes("\5\1\0\4\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\1")}},
           Row{"a user, if the proxy wants one",
               kTarget,
               kAda,
               bytes("\5\2\1\0") + connected,
               {bytes("\5\2\0\2"), bytes("\1\3ada\2pw"), kConnectToApi}},
           Row{"a user that the proxy does not want",
               kTarget,
               kAda,
               no_authentication + connected,
               {bytes("\5\2\0\2"), kConnectToApi}},
           Row{"a user without a password",
               kTarget,
               UrlUser{"ada", ""},
               bytes("\5\2\1\0") + connected,
               {bytes("\5\2\0\2"), bytes("\1\3ada\0"), kConnectToApi}},
           Row{"a proxy that names its IPv6 address",
               kTarget,
               {},
               no_authentication + bytes("\5\0\0\4") + std::string(18, 'x'),
               {bytes("\5\1\0"), kConnectToApi}},
           Row{"a proxy that names itself",
               kTarget,
               {},
               no_authentication + bytes("\5\0\0\3\xff") + std::string(257, 'x'),
               {bytes("\5\1\0"), kConnectToApi}},
           Row{"a proxy of no name",
               kTarget,
               {},
               no_authentication + bytes("\5\0\0\3\0\1\2"),
               {bytes("\5\1\0"), kConnectToApi}},
       }) {
    for (const std::size_t piece : {1U, 2U, 1000U}) {
      const Conversation got = talk(row.target, row.user, row.answers + "tunnel", piece);
      EXPECT_FALSE(got.error) << row.name << ": " << got.error->message;
      EXPECT_TRUE(got.is_done) << row.name;
      EXPECT_EQ(got.sent, row.sent) << row.name;
      EXPECT_EQ(got.left, 6U) << row.name << ": the rest is the tunnel's";
    }
  }
}

struct BadRow {
  const char* name;
  std::optional<UrlUser> user;
  std::string answers;
  Reason reason;
  const char* message;
};

TEST(Socks5Handshake, reports_refusal_and_invalid_answer) {
  for (const BadRow& row : {
           BadRow{"HTTP", {}, "HTTP/1.1 400", Reason::malformed, "another version"},
           BadRow{"SOCKS 4", {}, bytes("\0\x5b"), Reason::malformed, "another version"},
           BadRow{"no method", kAda, bytes("\5\xff"), Reason::unreachable, "takes no user"},
           BadRow{"a user is wanted", {}, bytes("\5\2"), Reason::unreachable, "wants credentials"},
           BadRow{"GSSAPI", kAda, bytes("\5\1"), Reason::unreachable, "takes no user"},
           BadRow{"another user", kAda, bytes("\5\2\1\1"), Reason::unreachable,
                  "refused the user name"},
           BadRow{"nonsense about the user", kAda, bytes("\5\2\5\0"), Reason::malformed,
                  "version of authentication"},
           BadRow{"a refusal",
                  {},
                  bytes("\5\0\5\2\0\1"),
                  Reason::unreachable,
                  "not allowed by its rules (2)"},
           BadRow{"a refused connection",
                  {},
                  bytes("\5\0\5\5\0\1"),
                  Reason::unreachable,
                  "connection refused (5)"},
           BadRow{"an unknown reply",
                  {},
                  bytes("\5\0\5\xfe\0\1"),
                  Reason::unreachable,
                  "unknown failure (254)"},
           BadRow{"another version later",
                  {},
                  bytes("\5\0\4\0\0\1"),
                  Reason::malformed,
                  "another version"},
           BadRow{"a reserved byte", {}, bytes("\5\0\5\0\1\1"), Reason::malformed, "reserved"},
           BadRow{"an unknown address",
                  {},
                  bytes("\5\0\5\0\0\2"),
                  Reason::malformed,
                  "type of address"},
       }) {
    const Conversation got = talk(kTarget, row.user, row.answers);
    ASSERT_TRUE(got.error) << row.name;
    EXPECT_EQ(got.error->reason, row.reason) << row.name;
    EXPECT_THAT(got.error->message, HasSubstr(row.message)) << row.name;
    EXPECT_THAT(got.error->message, testing::Not(HasSubstr("pw"))) << row.name;
  }
}

TEST(Socks5Handshake, waits_for_rest_of_partial_answer) {
  const std::string whole = bytes("\5\0\5\0\0\1\1\2\3\4\5\6");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Conversation got = talk(kTarget, {}, std::string_view(whole).substr(0, size));
    EXPECT_FALSE(got.error || got.is_done) << size;
  }
}

TEST(Socks5Handshake, rejects_names_too_long_for_length_byte) {
  const std::string long_text(256, 'x');
  EXPECT_EQ(talk({Security::tls, long_text, 1}, {}, "").error->reason, Reason::configuration);
  EXPECT_EQ(talk({Security::tls, "", 1}, {}, "").error->reason, Reason::configuration);
  EXPECT_TRUE(talk(kTarget, UrlUser{long_text, ""}, "").error);
  EXPECT_TRUE(talk(kTarget, UrlUser{"", "x"}, "").error);
  EXPECT_TRUE(talk(kTarget, UrlUser{"x", long_text}, "").error);
}

}  // namespace
}  // namespace dcm::http
