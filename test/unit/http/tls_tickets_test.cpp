// Session tickets that a client presents to a known server.
#include "runtime/http/tls_tickets.hpp"

#include <chrono>

#include "runtime/http/tls_stream.hpp"
#include "test/support/certificates.hpp"
#include "test/support/server_tickets.hpp"
#include "test/unit/http/http_site.hpp"

namespace dcm::http {
namespace {

// A server with two names, and a client that trusts it.
struct Site {
  explicit Site(VirtualLoop& loop)
      : time(loop.time()),
        executor(loop.executor()),
        network(time),
        listener(network.listen(kOrigin.host, kOrigin.port)),
        server(make_server()),
        client(*make_client_context(trust())) {}

  static const test::CertificateAuthority& authority() {
    static const test::CertificateAuthority made("test CA");
    return made;
  }
  static TlsClientOptions trust() {
    TlsClientOptions options;
    options.ca_pem = authority().pem();
    return options;
  }
  static TlsContext make_server(int valid_to_days = 1) {
    const test::Identity identity = authority().issue({.names = {"server", "other"},
                                                       .addresses = {"127.0.0.1"},
                                                       .valid_from_days = valid_to_days - 2,
                                                       .valid_to_days = valid_to_days});
    auto context = make_server_context({.certificate_pem = identity.certificate_pem,
                                        .key_pem = identity.key_pem,
                                        .client_ca_pem = {}});
    test::give_tickets(*context);
    return *context;
  }

  // A connection on which the client reads one byte, and thus everything that the server sent
  // before.
  Task<> meet(std::string name, Verification verification = Verification::full) {
    TaskGroup group(executor);
    group.spawn("server", [](Site& site) -> Task<> {
      auto below = co_await site.listener->accept();
      const auto stream = make_tls_server_stream(std::move(*below), site.server, site.time);
      co_await stream->write("x", {});
    }(*this));
    auto below = co_await network.connect(kOrigin, {});
    const auto stream = co_await start_tls(
        std::move(*below), make_client_session(client, name, verification).value(), time, {});
    CO_ASSERT_TRUE(stream);
    char byte = 0;
    const auto read = co_await (*stream)->read_some({&byte, 1}, {});
    CO_ASSERT_TRUE(read);
    EXPECT_EQ(byte, 'x');
    co_await group.join();
  }

  runtime::TimeSource& time;
  runtime::Executor executor;
  PipeNetwork network;
  std::unique_ptr<Listener> listener;
  TlsContext server;
  TlsContext client;
};

CO_TEST(TlsTickets, are_presented_at_each_next_connection) {
  Site site(loop);
  co_await site.meet("server");
  EXPECT_EQ(test::good_tickets(site.server), 0);
  co_await site.meet("server");
  EXPECT_EQ(test::good_tickets(site.server), 1);
  co_await site.meet("server");
  EXPECT_EQ(test::good_tickets(site.server), 2);
}

CO_TEST(TlsTickets, are_bound_to_verified_address) {
  Site site(loop);
  co_await site.meet("127.0.0.1");
  co_await site.meet("127.0.0.1");
  EXPECT_EQ(test::good_tickets(site.server), 1);
}

CO_TEST(TlsTickets, are_not_used_for_another_name) {
  Site site(loop);
  co_await site.meet("server");
  co_await site.meet("other");
  EXPECT_EQ(test::good_tickets(site.server), 0);
}

CO_TEST(TlsTickets, are_not_kept_without_verification) {
  Site site(loop);
  co_await site.meet("server", Verification::none);
  co_await site.meet("server");
  EXPECT_EQ(test::good_tickets(site.server), 0);
}

CO_TEST(TlsTickets, are_ignored_by_server_that_does_not_know_them) {
  Site site(loop);
  co_await site.meet("server");
  site.server = Site::make_server();
  co_await site.meet("server");
  EXPECT_EQ(test::good_tickets(site.server), 0);
}

CO_TEST(TlsTickets, are_not_presented_after_certificate_has_expired) {
  Site site(loop);
  site.server = Site::make_server(-1);
  test::verify_as_of(site.client, std::chrono::days(2));
  co_await site.meet("server");
  co_await site.meet("server");
  EXPECT_EQ(test::good_tickets(site.server), 0);
}

CO_TEST(TlsTickets, are_dropped_when_trust_changes) {
  Site site(loop);
  co_await site.meet("server");
  site.client = *make_client_context(Site::trust());
  co_await site.meet("server");
  EXPECT_EQ(test::good_tickets(site.server), 0);
}

}  // namespace
}  // namespace dcm::http
